import type { Workload } from '../fleet/fleet-request';
import { readAzureTrace } from './azure-trace';
import { readMooncakeTrace } from './mooncake-trace';
import { parseRecording } from './recording-trace';
import { traceFormat } from './trace-format';

/** What a trace file holds. */
export interface Trace {
  readonly requests: Workload;
  /** Lines that the router could not write; 0 of what is no recording. */
  readonly dropped: number;
}

/**
 * Reads a trace of any of the formats, as its first line tells. `lines` must begin anew each time that they are gone
 * through, which happens for every pass over the requests; a recording is read at once, since its ends come after its
 * requests. Throws an error that names the line when one is not as expected.
 */
export function readTrace(lines: Iterable<string>): Trace {
  const [firstLine] = lines;
  if (firstLine === undefined) throw new Error('the trace is empty');
  switch (traceFormat(firstLine)) {
    case 'azure':
      return { requests: { [Symbol.iterator]: () => readAzureTrace(lines) }, dropped: 0 };
    case 'mooncake':
      return { requests: { [Symbol.iterator]: () => readMooncakeTrace(lines) }, dropped: 0 };
    case 'recording':
      return parseRecording(lines);
  }
}
