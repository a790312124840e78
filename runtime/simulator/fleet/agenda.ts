/** What is to happen when, in virtual time. Actions of one moment happen in the order in which they were planned. */
export interface Agenda {
  /** `at`: seconds; one in the past is due at once. */
  plan(at: number, action: () => void): void;
  /** When the next action is due; Infinity when there is none. */
  nextTime(): number;
  /** Takes the next action off and performs it. Does nothing when there is none. */
  perform(): void;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly action: () => void;
}

export function createAgenda(): Agenda {
  // A binary heap: the entry at i comes before those at 2i + 1 and 2i + 2.
  const heap: Entry[] = [];
  let planned = 0;

  function isBefore(a: Entry, b: Entry): boolean {
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  function rise(entry: Entry): void {
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  function sink(entry: Entry): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, entry)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = entry;
  }

  return {
    plan(at, action) {
      rise({ at, order: planned++, action });
    },
    nextTime: () => heap[0]?.at ?? Number.POSITIVE_INFINITY,
    perform() {
      const first = heap[0];
      const last = heap.pop();
      if (first === undefined || last === undefined) return;
      if (heap.length > 0) sink(last);
      first.action();
    },
  };
}
