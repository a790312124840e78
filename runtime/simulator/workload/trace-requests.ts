import type { BlockHash } from '../../endpoint-picker/endpoint-picker';
import type { FleetRequest } from '../fleet/fleet-request';
import { createBlockIds, hashedBlocks } from './block-ids';
import { createConnections } from './connections';

/** What a trace tells of a request; times in seconds of any clock. */
export interface TraceEntry {
  readonly at: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** See `FleetRequest.blocks`. */
  readonly blocks: readonly number[];
  /** Hashes of the leading blocks that other requests may have too, below 2^52. */
  readonly sharedHashes: readonly BlockHash[];
}

/** From here on ids belong to blocks of one request alone. */
const FIRST_PRIVATE_ID = 2 ** 52;

/** Makes requests of a trace's entries, the first one at 0. An answer without a token is taken to have one: the first. */
export function createTraceRequests(): (entry: TraceEntry) => FleetRequest {
  const ids = createBlockIds(FIRST_PRIVATE_ID);
  const connection = createConnections();
  let start: number | undefined;
  return ({ at, promptTokens, outputTokens, blocks, sharedHashes }) => {
    start ??= at;
    return {
      at: at - start,
      promptTokens,
      outputTokens: Math.max(1, outputTokens),
      blocks,
      prefixHashes: ids.extend(sharedHashes, hashedBlocks(promptTokens)),
      connection: connection(),
    };
  };
}
