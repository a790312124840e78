import type { Workload } from '../fleet/fleet-request';
import { readAzureTrace } from './azure-trace';
import { readMooncakeTrace } from './mooncake-trace';
import { readRecording } from './recording-trace';
import { traceFormat } from './trace-format';

/**
 * Reads a trace of any of the formats, as its first line tells. `lines` must begin anew each time that they are gone
 * through, which happens for every pass over the requests. Throws an error that names the line when one is not as
 * expected.
 */
export function readTrace(lines: Iterable<string>): Workload {
  const [firstLine] = lines;
  if (firstLine === undefined) throw new Error('the trace is empty');
  switch (traceFormat(firstLine)) {
    case 'azure':
      return { [Symbol.iterator]: () => readAzureTrace(lines) };
    case 'mooncake':
      return { [Symbol.iterator]: () => readMooncakeTrace(lines) };
    case 'recording':
      return { [Symbol.iterator]: () => readRecording(lines) };
  }
}
