import { z } from 'zod';
import { BLOCK_TOKENS } from '../engine/types';
import type { FleetRequest } from '../fleet/fleet-request';
import { HASHED_BLOCK_TOKENS, hashedBlocks } from './block-ids';
import { traceLineError } from './trace-line';
import { createTraceRequests } from './trace-requests';

/** Tokens that one hash id of the trace stands for. */
const TRACE_BLOCK_TOKENS = 512;
/** Ids of the trace stay below this, so that those of their parts are below all private ones. */
const MAX_HASH_ID = 2 ** 46;

const entrySchema = z.object({
  timestamp: z.number().min(0),
  input_length: z.number().int().min(1).max(1e9),
  output_length: z.number().int().min(0).max(1e9),
  hash_ids: z.array(z.number().int().min(0).max(MAX_HASH_ID)),
});
const EXPECTED =
  'a JSON object such as {"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1]}';

/**
 * Reads a trace of Mooncake's as JSON lines: times in milliseconds, and a chained hash id for each 512 tokens of the
 * prompt. Tokens beyond the ids are private. Throws an error that names the line when one is not as expected, or is out of
 * order of time.
 */
export function* readMooncakeTrace(lines: Iterable<string>): Generator<FleetRequest> {
  const request = createTraceRequests();
  let number = 0;
  let last = 0;
  for (const line of lines) {
    number += 1;
    if (line === '') continue;
    const entry = parseEntry(number, line);
    if (entry.timestamp < last) {
      throw traceLineError(number, 'a timestamp that is not before the line above; sort the file by time', line);
    }
    last = entry.timestamp;
    const { input_length, output_length, hash_ids } = entry;
    const known = Math.min(input_length, hash_ids.length * TRACE_BLOCK_TOKENS);
    yield request({
      at: entry.timestamp / 1000,
      promptTokens: input_length,
      outputTokens: output_length,
      blocks: partsOf(hash_ids, BLOCK_TOKENS, Math.floor(known / BLOCK_TOKENS)),
      sharedHashes: partsOf(hash_ids, HASHED_BLOCK_TOKENS, hashedBlocks(known)),
    });
  }
}

/** Ids of the first `count` blocks of `tokens` each: equal exactly where the ids of the trace are. */
function partsOf(ids: readonly number[], tokens: number, count: number): number[] {
  const parts = TRACE_BLOCK_TOKENS / tokens;
  const blocks = new Array<number>(count);
  for (let index = 0; index < count; index++) blocks[index] = ids[Math.floor(index / parts)]! * parts + (index % parts);
  return blocks;
}

function parseEntry(number: number, line: string): z.output<typeof entrySchema> {
  let data: unknown;
  try {
    data = JSON.parse(line);
  } catch {
    throw traceLineError(number, EXPECTED, line);
  }
  const result = entrySchema.safeParse(data);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw traceLineError(number, `${EXPECTED} (${issue!.path.join('.')}: ${issue!.message})`, line);
}
