import type { PreciseIndex } from '../prefix/precise-index';
import { blockHash, rootHash } from '../prefix/token-blocks';
import type { KvEvent } from './event-batch';

/** What one endpoint's events have told of its KV cache. The blocks are in the index, under our hashes. */
export interface EndpointBlocks {
  /** Tokens of a block; undefined until a block was stored. */
  readonly blockTokens: number | undefined;
  /** The history is whole: a block that is not in the index is not in the engine. */
  readonly complete: boolean;
  apply(event: KvEvent): void;
  /** Forgets all. `complete`: the engine's cache is known to be empty. */
  reset(complete: boolean): void;
}

/** `endpoint`: its number in the index. */
export function createEndpointBlocks(endpoint: number, baseModel: string, index: PreciseIndex): EndpointBlocks {
  let blockTokens: number | undefined;
  let complete = false;

  function reset(empty: boolean): void {
    index.clear(endpoint);
    blockTokens = undefined;
    complete = empty;
  }

  function store(event: KvEvent & { type: 'stored' }): void {
    blockTokens ??= event.blockTokens;
    if (event.blockTokens !== blockTokens) {
      complete = false;
      return;
    }
    // A parent that is not known was left out itself, or was stored before the history begins.
    let hash =
      event.parent === undefined
        ? rootHash(baseModel, event.adapter, blockTokens)
        : index.hashOf(endpoint, event.parent);
    if (hash === undefined) return;
    for (let block = 0; block < event.hashes.length; block++) {
      const engineHash = event.hashes[block]!;
      hash = blockHash(hash, event.tokens, block * blockTokens, blockTokens);
      // A client can have vLLM tell again, from the start of the prompt, which blocks it has found (kv_cache_report_mode);
      // as copies, of which each is removed once, they would stay for ever. A true copy has a parent that was found.
      const toldAgain = event.parent === undefined && index.hashOf(endpoint, engineHash) !== undefined;
      if (toldAgain || index.store(endpoint, engineHash, hash)) continue;
      complete = false;
      return;
    }
  }

  return {
    get blockTokens() {
      return blockTokens;
    },
    get complete() {
      return complete;
    },
    apply(event) {
      if (event.type === 'stored') store(event);
      else if (event.type === 'removed') for (const hash of event.hashes) index.remove(endpoint, hash);
      else reset(true);
    },
    reset,
  };
}
