import type { BlockHash } from '../endpoint-picker';
import { createBlockHolders, MAX_ENDPOINTS } from './block-holders';
import { createHashTable, type HashTable } from './hash-table';

/**
 * Which endpoints hold which token blocks, as their engines have told. An engine names a block by its own hash
 * (`engineHash`, an integer below 2^53) and may hold it several times; ours (`BlockHash`) is what prompts are looked
 * up by.
 */
export interface PreciseIndex {
  /** (block, endpoint) pairs held. */
  readonly size: number;
  /** The engine has stored the block (again). False where there is no room: the block is then not known. */
  store(endpoint: number, engineHash: number, hash: BlockHash): boolean;
  /** Our hash of a block that the engine holds. */
  hashOf(endpoint: number, engineHash: number): BlockHash | undefined;
  /** The engine has dropped the block, once. Does nothing where it is not known. */
  remove(endpoint: number, engineHash: number): void;
  /** Forgets all blocks of the endpoint. */
  clear(endpoint: number): void;
  /**
   * Adds to `matched`, which is zero for the endpoints that hold any of the blocks, the length of the longest run of
   * blocks, from the first on, that each endpoint holds.
   */
  match(hashes: readonly BlockHash[], matched: Int32Array): void;
  /** Blocks known of the endpoint. */
  sizeOf(endpoint: number): number;
}

export interface PreciseIndexLimits {
  /** Pairs in all. Default 2^21: about 130 MiB when full, taken from the system as it fills. */
  readonly maxPairs?: number;
  /** Blocks of one endpoint. Default 65,536: a million tokens at 16 a block. */
  readonly maxBlocksPerEndpoint?: number;
}

const DEFAULT_MAX_PAIRS = 1 << 21;
const DEFAULT_MAX_BLOCKS_PER_ENDPOINT = 65_536;

/** One endpoint's blocks: our hash by the engine's, and how often beyond the first the engine holds it. */
interface EndpointBlocks {
  readonly hashes: HashTable;
  readonly copies: Map<number, number>;
}

/** `random` salts the tables, so that nobody can choose blocks that fall into one bucket. */
export function createPreciseIndex(random: () => number, limits: PreciseIndexLimits = {}): PreciseIndex {
  const maxPairs = limits.maxPairs ?? DEFAULT_MAX_PAIRS;
  const maxBlocks = limits.maxBlocksPerEndpoint ?? DEFAULT_MAX_BLOCKS_PER_ENDPOINT;
  const holders = createBlockHolders(maxPairs, random);
  const endpoints = new Map<number, EndpointBlocks>();
  const salt = Math.floor(random() * 0x1_0000_0000);
  let size = 0;

  function blocksOf(endpoint: number): EndpointBlocks {
    let blocks = endpoints.get(endpoint);
    if (blocks === undefined) {
      blocks = { hashes: createHashTable(salt), copies: new Map() };
      endpoints.set(endpoint, blocks);
    }
    return blocks;
  }

  /** Where two of the engine's hashes are one of ours (it parts cache salts, say), the first removal takes the block. */
  function drop(endpoint: number, hash: BlockHash): void {
    const block = holders.find(hash, 0);
    if (block !== 0 && holders.holds(block, endpoint)) holders.remove(block, endpoint);
  }

  return {
    get size() {
      return size;
    },
    store(endpoint, engineHash, hash) {
      if (endpoint >= MAX_ENDPOINTS) return false;
      const { hashes, copies } = blocksOf(endpoint);
      if (hashes.get(engineHash) !== undefined) {
        copies.set(engineHash, (copies.get(engineHash) ?? 0) + 1);
        return true;
      }
      if (size >= maxPairs || hashes.size >= maxBlocks) return false;
      const found = holders.find(hash, 0);
      if (found === 0 || !holders.holds(found, endpoint)) holders.add(found, hash, endpoint);
      hashes.set(engineHash, hash);
      size += 1;
      return true;
    },
    hashOf: (endpoint, engineHash) => endpoints.get(endpoint)?.hashes.get(engineHash),
    remove(endpoint, engineHash) {
      const blocks = endpoints.get(endpoint);
      const hash = blocks?.hashes.get(engineHash);
      if (blocks === undefined || hash === undefined) return;
      const copies = blocks.copies.get(engineHash) ?? 0;
      if (copies > 1) blocks.copies.set(engineHash, copies - 1);
      else if (copies === 1) blocks.copies.delete(engineHash);
      else {
        blocks.hashes.delete(engineHash);
        size -= 1;
        drop(endpoint, hash);
      }
    },
    clear(endpoint) {
      const blocks = endpoints.get(endpoint);
      if (blocks === undefined) return;
      size -= blocks.hashes.size;
      for (const hash of blocks.hashes.values()) drop(endpoint, hash);
      endpoints.delete(endpoint);
    },
    match: (hashes, matched) => holders.match(hashes, matched),
    sizeOf: (endpoint) => endpoints.get(endpoint)?.hashes.size ?? 0,
  };
}
