import { readFile } from 'node:fs/promises';
import { type CompleteWeights, schedulerWeights } from '../../../lib/api/inference-gateway-config/scorer-weights';
import { DEFAULT_MAX_QUEUE_SECONDS } from '../../recording/recording-line';
import { fileFault } from '../run/file-fault';
import { droppedNotes, readTraceText } from '../run/trace-file';
import { linesOf } from '../workload/lines';
import { readTrace } from '../workload/read-trace';
import { parseRecording } from '../workload/recording-trace';
import type { RequestList } from '../workload/request-list';
import { traceFormat } from '../workload/trace-format';
import type { TunedFleet } from './block-tail';
import { parseFleet } from './fleet-file';

export interface TuneFiles {
  readonly trace: string;
  readonly fleet: string;
  /** `namespace/name` or name of one scheduler of a recording. */
  readonly scheduler?: string;
}

export interface TuneInput extends TunedFleet {
  readonly requests: RequestList;
  /** The recorded scheduler's weights; of a trace that is no recording, those of a scheduler that names none. */
  readonly present: CompleteWeights;
  /** Name of the scheduler to apply weights to. */
  readonly scheduler: string;
  /** What to know of the trace, in words. */
  readonly warnings: readonly string[];
}

/** Reads both files. Rejects with an error that names the file, and the field or line that is wrong. */
export async function readTuneInput({ trace, fleet, scheduler }: TuneFiles): Promise<TuneInput> {
  const pods = await named(`--fleet ${fleet}`, async () => parseFleet(await readFile(fleet, 'utf8')));
  return await named(`--trace ${trace}`, async () => ({
    pods,
    ...readRequests(trace, await readTraceText(trace), scheduler),
  }));
}

function readRequests(path: string, text: string, wanted: string | undefined): Omit<TuneInput, 'pods'> {
  const lines = linesOf(text);
  const [first = ''] = lines;
  if (traceFormat(first) !== 'recording') {
    return {
      requests: [...readTrace(lines).requests],
      maxQueueSeconds: DEFAULT_MAX_QUEUE_SECONDS,
      present: completed({}),
      scheduler: wanted ?? 'NAME',
      warnings: [],
    };
  }
  const { schedulers, dropped } = parseRecording(lines);
  const names = schedulers.map((one) => one.scheduler).join(', ');
  const matching = schedulers.filter(
    (one) => wanted === undefined || one.scheduler === wanted || one.scheduler.endsWith(`/${wanted}`),
  );
  const [one, other] = matching;
  if (names === '') throw new Error('names no scheduler; expected a "fleet" line after the header');
  if (one === undefined) throw new Error(`has no scheduler ${wanted}; expected one of ${names}`);
  if (other !== undefined) throw new Error(`was recorded with several schedulers; name one with --scheduler: ${names}`);
  return {
    requests: parseRecording(lines, one.scheduler).requests,
    maxQueueSeconds: one.maxQueueTime,
    present: completed({ weights: one.weights }),
    scheduler: one.scheduler.slice(one.scheduler.indexOf('/') + 1),
    warnings: droppedNotes(path, dropped),
  };
}

/** All seven names, in one order. */
function completed(choice: Parameters<typeof schedulerWeights>[0]): CompleteWeights {
  return { ...schedulerWeights({}), ...schedulerWeights(choice) };
}

async function named<Value>(what: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    throw new Error(`${what}: ${fileFault(error)}`);
  }
}
