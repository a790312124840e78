interface Slot {
  users: number;
  /** When the load ends; undefined once loaded. */
  loadingUntil: number | undefined;
}

/** The GPU's places for LoRA adapters: loading takes time, an adapter in use or loading is never evicted. */
export interface AdapterSlots {
  /**
   * True when the adapter is loaded. Otherwise, if a slot is free or its adapter idle (least recently used first), a
   * load starts at `now`; if there is none, nothing happens and the caller asks again later.
   */
  request(adapter: string, now: number): boolean;
  /** One more, and one less, running sequence of a loaded adapter. */
  acquire(adapter: string): void;
  release(adapter: string): void;
  /** When the next load ends; Infinity when none is under way. */
  nextLoadTime(): number;
  /** When the adapter could be used if asked for at `now`: `now` when it is loaded, Infinity when all slots are in use by others. */
  usableAt(adapter: string, now: number): number;
  /** The adapters whose loads have ended by `now`, each told once. */
  finishLoads(now: number): string[];
}

/** `capacity` empty slots. */
export function createAdapterSlots(capacity: number, loadSeconds: number): AdapterSlots {
  // Insertion order is the order of last use.
  const slots = new Map<string, Slot>();
  /** Loads under way. */
  let loading = 0;

  function evictIdle(): boolean {
    for (const [adapter, slot] of slots) {
      if (slot.users === 0 && slot.loadingUntil === undefined) return slots.delete(adapter);
    }
    return false;
  }

  return {
    request(adapter, now) {
      const slot = slots.get(adapter);
      if (slot !== undefined) return slot.loadingUntil === undefined;
      if (slots.size < capacity || evictIdle()) {
        slots.set(adapter, { users: 0, loadingUntil: now + loadSeconds });
        loading++;
      }
      return false;
    },
    acquire(adapter) {
      const slot = slots.get(adapter)!;
      slot.users++;
      slots.delete(adapter);
      slots.set(adapter, slot);
    },
    release(adapter) {
      slots.get(adapter)!.users--;
    },
    nextLoadTime() {
      let next = Number.POSITIVE_INFINITY;
      if (loading === 0) return next;
      for (const { loadingUntil } of slots.values()) {
        if (loadingUntil !== undefined && loadingUntil < next) next = loadingUntil;
      }
      return next;
    },
    usableAt(adapter, now) {
      const slot = slots.get(adapter);
      if (slot !== undefined) return slot.loadingUntil ?? now;
      if (slots.size < capacity) return now + loadSeconds;
      for (const { users, loadingUntil } of slots.values()) {
        if (users === 0 && loadingUntil === undefined) return now + loadSeconds;
      }
      return Number.POSITIVE_INFINITY;
    },
    finishLoads(now) {
      const loaded: string[] = [];
      for (const [adapter, slot] of slots) {
        if (slot.loadingUntil === undefined || slot.loadingUntil > now) continue;
        slot.loadingUntil = undefined;
        loading--;
        loaded.push(adapter);
      }
      return loaded;
    },
  };
}
