import type { FleetRequest } from '../fleet/fleet-request';
import { traceLineError } from './trace-line';
import { createTraceRequests } from './trace-requests';

/** First line of Azure's traces of LLM inference. */
export const AZURE_HEADER = 'TIMESTAMP,ContextTokens,GeneratedTokens';

const LINE = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d(?:\.\d+)?)(?:Z|\+00:00)?,(\d{1,9}),(\d{1,9})$/;
const EXPECTED = `${AZURE_HEADER} such as "2023-11-16 18:15:46.6805900,374,44"`;
const NO_BLOCKS: readonly number[] = [];

/**
 * Reads a trace of Azure's as CSV, header first. It says nothing of what prompts have in common: every one is private.
 * Throws an error that names the line when one is not as expected, or is out of order of time.
 */
export function* readAzureTrace(lines: Iterable<string>): Generator<FleetRequest> {
  const request = createTraceRequests();
  let number = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    number += 1;
    if (line === '') continue;
    if (number === 1) {
      if (line !== AZURE_HEADER) throw traceLineError(number, `the header ${AZURE_HEADER}`, line);
      continue;
    }
    const match = LINE.exec(line);
    if (match === null) throw traceLineError(number, EXPECTED, line);
    const [year, month, day, hour, minute, second, promptTokens, outputTokens] = match.slice(1).map(Number);
    const at = Date.UTC(year!, month! - 1, day!, hour!, minute!) / 1000 + second!;
    if (promptTokens! < 1) throw traceLineError(number, 'at least 1 context token', line);
    if (at < last)
      throw traceLineError(number, 'a time that is not before the line above; sort the file by time', line);
    last = at;
    yield request({
      at,
      promptTokens: promptTokens!,
      outputTokens: outputTokens!,
      blocks: NO_BLOCKS,
      sharedHashes: NO_BLOCKS,
    });
  }
}
