const NONE: readonly string[] = [];

/** How many requests use each adapter, with the sorted list of names kept until it changes. */
export interface AdapterTally {
  /** Nothing happens for the base model (`undefined`). */
  add(adapter: string | undefined): void;
  remove(adapter: string | undefined): void;
  /** Sorted, without repeats; never changed afterwards. */
  names(): readonly string[];
}

export function createAdapterTally(): AdapterTally {
  const counts = new Map<string, number>();
  let sorted: readonly string[] | undefined = NONE;
  return {
    add(adapter) {
      if (adapter === undefined) return;
      const count = counts.get(adapter) ?? 0;
      counts.set(adapter, count + 1);
      if (count === 0) sorted = undefined;
    },
    remove(adapter) {
      if (adapter === undefined) return;
      const count = counts.get(adapter)!;
      if (count > 1) {
        counts.set(adapter, count - 1);
        return;
      }
      counts.delete(adapter);
      sorted = undefined;
    },
    names() {
      sorted ??= [...counts.keys()].sort();
      return sorted;
    },
  };
}
