import { lookup } from 'node:dns/promises';

/** All IP addresses of a host name. Rejects where it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Half of the threads that Node has by default. */
const LOOKUPS_AT_ONCE = 2;

/** By the system's resolver. */
export const resolveHost: Resolve = limitedResolve(
  async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  LOOKUPS_AT_ONCE,
);

/**
 * Of many look-ups so many run at one time, in the order in which they were asked for: the system's resolver takes threads
 * that files are read with too, and keeps them for seconds where its servers are away.
 */
export function limitedResolve(resolve: Resolve, limit: number): Resolve {
  const waiting: Array<() => void> = [];
  let running = 0;
  return async (host) => {
    if (running >= limit) await new Promise<void>((turn) => waiting.push(turn));
    else running++;
    try {
      return await resolve(host);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
