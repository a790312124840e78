import { readFile, stat } from 'node:fs/promises';
import { linesOf } from '../workload/lines';
import { readTrace, type Trace } from '../workload/read-trace';
import { fileFault } from './file-fault';

/** A file is held whole, by each worker process where there are several. */
export const MAX_TRACE_BYTES = 256 * 1024 * 1024;

let last: { readonly path: string; readonly trace: Trace } | undefined;

/**
 * What is in a trace file; the one that was opened last is kept, since many runs follow each other on one file.
 * Throws an error that names the file, and the line when one is not as expected.
 */
export async function openTrace(path: string): Promise<Trace> {
  if (last?.path === path) return last.trace;
  last = undefined;
  try {
    const trace = readTrace(linesOf(await readTraceText(path)));
    last = { path, trace };
    return trace;
  } catch (error) {
    throw new Error(`trace ${path}: ${fileFault(error)}`);
  }
}

/** The text of a trace file. Rejects when it cannot be read or is larger than may be held. */
export async function readTraceText(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > MAX_TRACE_BYTES) {
    const most = `${MAX_TRACE_BYTES / 2 ** 20} MiB`;
    throw new Error(`is larger than ${most}; cut it into parts, each with the first line of the whole`);
  }
  return await readFile(path, 'utf8');
}

/** How much a trace holds. */
export interface TraceMeasure {
  readonly requests: number;
  readonly ratePerSecond: number;
  /** See `Trace.dropped`. */
  readonly dropped: number;
}

/** From one pass over the trace that finds every fault. Throws as `openTrace`. */
export async function measureTrace(path: string): Promise<TraceMeasure> {
  const { requests: all, dropped } = await openTrace(path);
  try {
    let requests = 0;
    let lastAt = 0;
    for (const { at } of all) {
      requests += 1;
      lastAt = at;
    }
    if (lastAt <= 0) throw new Error('expected requests at two different times or more');
    return { requests, ratePerSecond: (requests - 1) / lastAt, dropped };
  } catch (error) {
    throw new Error(`trace ${path}: ${(error as Error).message}`);
  }
}

/** Tells of lines that a recording lacks, where it does. */
export function droppedNotes(path: string, dropped: number): string[] {
  if (dropped === 0) return [];
  return [`trace ${path}: ${dropped} lines were dropped while it was recorded, so the load was higher than it shows`];
}
