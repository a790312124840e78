import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until `condition` holds; rejects after `ms` (default 5000), naming what was waited for. */
export async function until(what: string, condition: () => boolean, ms = 5_000): Promise<void> {
  const end = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`after ${ms} ms still not: ${what}`);
    await sleep(2);
  }
}
