import type { Logger } from 'pino';

/** What administrators are told of the status of pools, each thing once while it lasts. */
export interface PoolLog {
  /** `leftOut`: Gateways for which `status.parents` has no room; none: there is room for all. */
  full(pool: string, leftOut: readonly string[]): void;
  /** Somebody undid what was written, and it was put back. `againMs`: milliseconds until it may be once more. */
  undone(pool: string, againMs: number): void;
  unread(kinds: readonly string[]): void;
  fault(pool: string | undefined, error: Error, retryMs: number): void;
  /** No fault any more. */
  well(pool: string | undefined): void;
  /** Forgets every other pool. */
  retain(pools: ReadonlySet<string>): void;
}

export function createPoolLog(log: Logger): PoolLog {
  /** By pool, what was told last. */
  const full = new Map<string, string>();
  const faults = new Map<string | undefined, string>();
  let toldUnread = '';

  return {
    full(pool, leftOut) {
      const gateways = leftOut.join(', ');
      const former = full.get(pool) ?? '';
      if (gateways === '') full.delete(pool);
      else full.set(pool, gateways);
      if (gateways === '' || gateways === former) return;
      log.warn(
        `InferencePool ${pool}: status.parents is full and does not tell of Gateway ${gateways}; remove entries of controllers that are gone, or let fewer Gateways lead to the pool`,
      );
    },
    undone(pool, againMs) {
      log.warn(
        { againMs: Math.round(againMs) },
        `InferencePool ${pool}: somebody changed what this controller writes to status.parents, and it is put back; find out who writes that status, and have them leave entries of other controllers alone`,
      );
    },
    unread(kinds) {
      const names = kinds.join(', ');
      if (names === toldUnread) return;
      toldUnread = names;
      log.warn(`the status of InferencePools is not written before ${names} can be read`);
    },
    fault(pool, error, retryMs) {
      if (faults.get(pool) === error.message) return;
      faults.set(pool, error.message);
      const what = pool === undefined ? 'InferencePools' : `InferencePool ${pool}`;
      log.warn({ retryMs: Math.round(retryMs) }, `the status of ${what} could not be written: ${error.message}`);
    },
    well: (pool) => void faults.delete(pool),
    retain(pools) {
      for (const pool of full.keys()) if (!pools.has(pool)) full.delete(pool);
      for (const pool of faults.keys()) if (pool !== undefined && !pools.has(pool)) faults.delete(pool);
    },
  };
}
