/**
 * Paged KV blocks with a prefix cache, after vLLM's block pool: a block is held by any number of sequences; a block
 * that nobody holds keeps its content and can be found again until it is the least recently used free block and a
 * new allocation takes it.
 */
export interface BlockPool {
  readonly size: number;
  /** Blocks that nobody holds, cached content or not. */
  freeCount(): number;
  /** The block that holds `id` in `scope` (an adapter's name, '' for the base model), or -1. */
  find(scope: string, id: number): number;
  /** True when nobody holds the block, so that `retain` takes it out of the free ones. */
  isFree(block: number): boolean;
  /** One more holder. */
  retain(block: number): void;
  /** The least recently used free block, its old content forgotten, with one holder. Throws when none is free. */
  allocate(): number;
  /** Makes a held block findable; does nothing when another block already holds this id. */
  publish(block: number, scope: string, id: number): void;
  /** One holder less; without holders the block becomes the most recently used free one. */
  release(block: number): void;
}

/** Hears what the prefix cache of a pool holds, in the order in which it changes. */
export interface BlockObserver {
  /** The block can be found from now on. */
  stored(scope: string, id: number): void;
  /** It cannot any more. */
  removed(scope: string, id: number): void;
}

/** `size` empty blocks; memory is about 30 bytes a block plus the cached ids. */
export function createBlockPool(size: number, observer?: BlockObserver): BlockPool {
  // A doubly linked list of the free blocks through two arrays; index `size` is the sentinel (head and tail).
  const next = new Int32Array(size + 1);
  const previous = new Int32Array(size + 1);
  const holders = new Int32Array(size);
  const ids = new Float64Array(size);
  const scopeOf: (string | undefined)[] = new Array(size).fill(undefined);
  const scopes = new Map<string, Map<number, number>>();
  let free = size;
  for (let index = 0; index <= size; index++) {
    next[index] = index === size ? 0 : index + 1;
    previous[index] = index === 0 ? size : index - 1;
  }

  function unlink(block: number): void {
    const before = previous[block]!;
    const after = next[block]!;
    next[before] = after;
    previous[after] = before;
    free--;
  }

  function linkLast(block: number): void {
    const last = previous[size]!;
    next[last] = block;
    previous[block] = last;
    next[block] = size;
    previous[size] = block;
    free++;
  }

  function forget(block: number): void {
    const scope = scopeOf[block];
    if (scope === undefined) return;
    const cached = scopes.get(scope)!;
    cached.delete(ids[block]!);
    if (cached.size === 0) scopes.delete(scope);
    scopeOf[block] = undefined;
    observer?.removed(scope, ids[block]!);
  }

  return {
    size,
    freeCount: () => free,
    find: (scope, id) => scopes.get(scope)?.get(id) ?? -1,
    isFree: (block) => holders[block] === 0,
    retain(block) {
      if (holders[block] === 0) unlink(block);
      holders[block]!++;
    },
    allocate() {
      if (free === 0) throw new Error('no free KV block: check freeCount() before allocating');
      const block = next[size]!;
      unlink(block);
      forget(block);
      holders[block] = 1;
      return block;
    },
    publish(block, scope, id) {
      let cached = scopes.get(scope);
      if (cached === undefined) {
        cached = new Map();
        scopes.set(scope, cached);
      }
      if (cached.has(id)) return;
      cached.set(id, block);
      ids[block] = id;
      scopeOf[block] = scope;
      observer?.stored(scope, id);
    },
    release(block) {
      if (holders[block] === 0) throw new Error(`KV block ${block} released more often than retained`);
      holders[block]!--;
      if (holders[block] === 0) linkLast(block);
    },
  };
}
