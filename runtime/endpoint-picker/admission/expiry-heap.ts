/** What can be found in an `ExpiryHeap`. */
export interface Expiring {
  /** Clock, milliseconds. */
  readonly expiresAt: number;
  /** Decides between those that expire at the same time: the lower one is earlier. */
  readonly order: number;
  /** Its place in the heap; written by the heap alone. */
  heapAt: number;
}

/** A binary heap of what expires, the earliest on top. Each entry knows its place, so any of them leaves in O(log n). */
export interface ExpiryHeap<E extends Expiring> {
  readonly first: E | undefined;
  add(entry: E): void;
  /** The entry must be in the heap. */
  delete(entry: E): void;
}

export function createExpiryHeap<E extends Expiring>(): ExpiryHeap<E> {
  const heap: E[] = [];

  function put(entry: E, at: number): void {
    heap[at] = entry;
    entry.heapAt = at;
  }

  function rise(entry: E, from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      put(heap[parent]!, at);
      at = parent;
    }
    put(entry, at);
  }

  function sink(entry: E, from: number): void {
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, entry)) break;
      put(heap[child]!, at);
      at = child;
    }
    put(entry, at);
  }

  return {
    get first() {
      return heap[0];
    },
    add(entry) {
      heap.push(entry);
      rise(entry, heap.length - 1);
    },
    delete(entry) {
      const at = entry.heapAt;
      const last = heap.pop()!;
      if (last === entry) return;
      if (at > 0 && isBefore(last, heap[(at - 1) >> 1]!)) rise(last, at);
      else sink(last, at);
    },
  };
}

function isBefore(a: Expiring, b: Expiring): boolean {
  return a.expiresAt < b.expiresAt || (a.expiresAt === b.expiresAt && a.order < b.order);
}
