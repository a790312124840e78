import type { BlockObserver } from '../../engine/block-pool';
import { BLOCK_TOKENS } from '../../engine/types';
import type { Prompt } from '../prompt';

/** An event as vLLM's msgpack has it. */
export type WireEvent =
  | {
      readonly type: 'BlockStored';
      readonly block_hashes: number[];
      readonly parent_block_hash: number | null;
      readonly token_ids: number[];
      readonly block_size: number;
      readonly lora_id: null;
      readonly medium: 'GPU';
      readonly lora_name: string | null;
    }
  | { readonly type: 'BlockRemoved'; readonly block_hashes: number[]; readonly medium: 'GPU' };

/** Turns what the engine's prefix cache does, which knows blocks by id, into events, which tell of tokens. */
export interface BlockJournal extends BlockObserver {
  /** The prompt of a request that enters the engine. Returns what must be called when it is over. */
  know(prompt: Prompt, adapter: string | undefined): () => void;
  /** The events since the last call. */
  take(): WireEvent[];
}

/** Where a block's tokens are, while a request with it is under way. */
interface KnownBlock {
  readonly prompt: Prompt;
  readonly index: number;
  requests: number;
}

export function createBlockJournal(): BlockJournal {
  const known = new Map<number, KnownBlock>();
  let events: WireEvent[] = [];

  function forget(hashes: readonly number[]): void {
    for (const hash of hashes) {
      const block = known.get(hash);
      if (block !== undefined && --block.requests === 0) known.delete(hash);
    }
  }

  return {
    know(prompt, adapter) {
      const hashes = Array.from(prompt.blocks, (id) => engineHash(adapter ?? '', id));
      for (const [index, hash] of hashes.entries()) {
        const block = known.get(hash);
        if (block === undefined) known.set(hash, { prompt, index, requests: 1 });
        else block.requests += 1;
      }
      let over = false;
      return () => {
        if (!over) forget(hashes);
        over = true;
      };
    },
    stored(scope, id) {
      const hash = engineHash(scope, id);
      const block = known.get(hash);
      if (block === undefined) return;
      const { prompt, index } = block;
      const parent = index === 0 ? null : engineHash(scope, prompt.blocks[index - 1]!);
      const tokens = prompt.blockTokenIds(index);
      const last = events.at(-1);
      if (last?.type === 'BlockStored' && parent !== null && last.block_hashes.at(-1) === parent) {
        last.block_hashes.push(hash);
        last.token_ids.push(...tokens);
        return;
      }
      events.push({
        type: 'BlockStored',
        block_hashes: [hash],
        parent_block_hash: parent,
        token_ids: tokens,
        block_size: BLOCK_TOKENS,
        lora_id: null,
        medium: 'GPU',
        lora_name: scope === '' ? null : scope,
      });
    },
    removed(scope, id) {
      const hash = engineHash(scope, id);
      const last = events.at(-1);
      if (last?.type === 'BlockRemoved') last.block_hashes.push(hash);
      else events.push({ type: 'BlockRemoved', block_hashes: [hash], medium: 'GPU' });
    },
    take() {
      const taken = events;
      events = [];
      return taken;
    },
  };
}

/** The hash under which the engine knows a block of an adapter: below 2^53. */
function engineHash(scope: string, id: number): number {
  let mixed = 0;
  for (let at = 0; at < scope.length; at++) mixed = Math.imul(mixed ^ scope.charCodeAt(at), 0x85ebca6b);
  const low = (id >>> 0) ^ mixed;
  return Math.floor(id / 0x1_0000_0000) * 0x1_0000_0000 + (low >>> 0);
}
