import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between tries; of what has to ask somebody more. */
const POLL_MS = 2;
const ASK_MS = 20;

/** Resolves with the first value that is neither false nor undefined; rejects, naming `what`, after `timeoutMs`. */
export async function until<T>(
  what: string,
  probe: () => T | false | undefined | Promise<T | false | undefined>,
  timeoutMs = 15_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  while (true) {
    const tried = probe();
    const value = await tried;
    if (value !== false && value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(tried instanceof Promise ? ASK_MS : POLL_MS);
  }
}
