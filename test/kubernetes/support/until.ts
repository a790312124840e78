import { setTimeout as sleep } from 'node:timers/promises';

export interface UntilOptions {
  /** Milliseconds; default 30,000. */
  readonly timeout?: number;
  /** Milliseconds between tries; default 100. */
  readonly every?: number;
  /** What to show beside the last reason when the time is over. */
  readonly explain?: () => string | Promise<string>;
}

/**
 * Tries `attempt` until it returns something other than `false` and `undefined`, and returns that. What it throws is a
 * reason to try again. Rejects after the timeout with `what`, the last reason and the explanation.
 */
export async function until<T>(
  what: string,
  attempt: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const { timeout = 30_000, every = 100 } = options;
  const deadline = Date.now() + timeout;
  for (;;) {
    let reason = 'not yet';
    try {
      const result = await attempt();
      if (result !== false && result !== undefined) return result as Exclude<T, false | undefined>;
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
      if (error instanceof Hopeless) throw new Error(`${what}: ${reason}`, { cause: error });
    }
    if (Date.now() >= deadline) {
      const explanation = options.explain === undefined ? '' : `\n${await options.explain()}`;
      throw new Error(`${what}: not within ${timeout / 1000} s; last: ${reason}${explanation}`);
    }
    await sleep(every);
  }
}

/** Thrown by an attempt that can never succeed: no more is tried. */
export class Hopeless extends Error {
  override readonly name = 'Hopeless';
}
