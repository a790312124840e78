import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;

/** Resolves with the first value that is neither false nor undefined; rejects, naming `what`, after `timeoutMs`. */
export async function until<T>(
  what: string,
  probe: () => T | false | undefined | Promise<T | false | undefined>,
  timeoutMs = 15_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  while (true) {
    const value = await probe();
    if (value !== false && value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(POLL_MS);
  }
}
