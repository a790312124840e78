import { readFile, stat } from 'node:fs/promises';
import type { Workload } from '../fleet/fleet-request';
import { linesOf } from '../workload/lines';
import { readTrace } from '../workload/read-trace';

/** A file is held whole, by each worker process where there are several. */
const MOST_BYTES = 256 * 1024 * 1024;

let last: { readonly path: string; readonly requests: Workload } | undefined;

/**
 * The requests of a trace file; the one that was opened last is kept, since many runs follow each other on one file.
 * Throws an error that names the file, and the line when one is not as expected.
 */
export async function openTrace(path: string): Promise<Workload> {
  if (last?.path === path) return last.requests;
  last = undefined;
  try {
    const requests = readTrace(linesOf(await readTraceText(path)));
    last = { path, requests };
    return requests;
  } catch (error) {
    throw new Error(`trace ${path}: ${(error as Error).message}`);
  }
}

/** The text of a trace file. Rejects when it cannot be read or is larger than may be held. */
export async function readTraceText(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > MOST_BYTES) {
    const most = `${MOST_BYTES / 2 ** 20} MiB`;
    throw new Error(`is larger than ${most}; cut it into parts, each with the first line of the whole`);
  }
  return await readFile(path, 'utf8');
}

/** How much a trace holds, from one pass over it that finds every fault. Throws as `openTrace`. */
export async function measureTrace(
  path: string,
): Promise<{ readonly requests: number; readonly ratePerSecond: number }> {
  const trace = await openTrace(path);
  try {
    let requests = 0;
    let lastAt = 0;
    for (const { at } of trace) {
      requests += 1;
      lastAt = at;
    }
    if (lastAt <= 0) throw new Error('expected requests at two different times or more');
    return { requests, ratePerSecond: (requests - 1) / lastAt };
  } catch (error) {
    throw new Error(`trace ${path}: ${(error as Error).message}`);
  }
}
