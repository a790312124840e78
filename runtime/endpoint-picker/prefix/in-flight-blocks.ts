import type { BlockHash } from '../endpoint-picker';
import { createBlockHolders, MAX_ENDPOINTS } from './block-holders';

/**
 * Token blocks of the requests under way at each endpoint. The engine holds them, or is about to, until the request is
 * over; it tells so only once they are computed, when a burst with one prefix has long been spread.
 */
export interface InFlightBlocks {
  /** The endpoint gets a request of these blocks. Returns what takes it back; idempotent. Keeps nothing where there is no room. */
  enter(endpoint: number, hashes: readonly BlockHash[]): () => void;
  /** As of the precise index. */
  match(hashes: readonly BlockHash[], matched: Int32Array): void;
  /** Forgets an endpoint that went away; what `enter` returned for it does nothing any more. */
  clear(endpoint: number): void;
}

/** (block, endpoint) pairs: a thousand requests of a thousand blocks that share nothing. */
const MAX_PAIRS = 1 << 20;

export function createInFlightBlocks(random: () => number, maxPairs = MAX_PAIRS): InFlightBlocks {
  const holders = createBlockHolders(maxPairs, random);
  /** Requests by block, by endpoint. */
  const endpoints = new Map<number, Map<BlockHash, number>>();
  let pairs = 0;

  function drop(endpoint: number, hash: BlockHash): void {
    holders.remove(holders.find(hash, 0), endpoint);
    pairs -= 1;
  }

  function leave(counts: Map<BlockHash, number>, endpoint: number, hashes: readonly BlockHash[]): void {
    if (endpoints.get(endpoint) !== counts) return;
    for (const hash of hashes) {
      const left = counts.get(hash)! - 1;
      if (left > 0) counts.set(hash, left);
      else {
        counts.delete(hash);
        drop(endpoint, hash);
      }
    }
    if (counts.size === 0) endpoints.delete(endpoint);
  }

  return {
    enter(endpoint, hashes) {
      if (hashes.length === 0 || endpoint >= MAX_ENDPOINTS || pairs + hashes.length > maxPairs) return () => undefined;
      const counts = endpoints.get(endpoint) ?? new Map<BlockHash, number>();
      endpoints.set(endpoint, counts);
      for (const hash of hashes) {
        const requests = counts.get(hash) ?? 0;
        counts.set(hash, requests + 1);
        if (requests > 0) continue;
        holders.add(holders.find(hash, 0), hash, endpoint);
        pairs += 1;
      }
      let over = false;
      return () => {
        if (!over) leave(counts, endpoint, hashes);
        over = true;
      };
    },
    match: (hashes, matched) => holders.match(hashes, matched),
    clear(endpoint) {
      const counts = endpoints.get(endpoint);
      if (counts === undefined) return;
      endpoints.delete(endpoint);
      for (const hash of counts.keys()) drop(endpoint, hash);
    },
  };
}
