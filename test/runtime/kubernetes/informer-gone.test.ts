import { pino } from 'pino';
import type { ApiClient } from '../../../runtime/kubernetes/api-client';
import { ApiError } from '../../../runtime/kubernetes/api-error';
import { startInformer } from '../../../runtime/kubernetes/informer';
import { resourceOf } from '../../../runtime/kubernetes/resources';
import { until } from '../../support/until';

const refused = (code: number) => new ApiError({ code, reason: 'Status', message: `${code}`, request: 'GET' });

/** Delays of an informer whose lists are all answered, and whose watches end with these codes, the last one again and again. */
async function delaysOf(codes: readonly number[], atLeast: number): Promise<number[]> {
  const stop = new AbortController();
  const delays: number[] = [];
  let watches = 0;
  const client: Partial<ApiClient> = {
    list: async () => ({ resourceVersion: '1', items: [] }),
    // biome-ignore lint/correctness/useYield: it ends before the first event.
    watch: async function* () {
      throw refused(codes[Math.min(watches++, codes.length - 1)]!);
    },
  };
  const informer = startInformer({
    client: client as ApiClient,
    resource: resourceOf('v1', 'Pod'),
    clock: {
      now: () => 0,
      wall: () => 0,
      async sleep(ms, signal) {
        // The time of the next list never comes.
        if (ms > 60_000) return new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
        delays.push(ms);
        await new Promise((resolve) => setImmediate(resolve));
      },
    },
    random: () => 0,
    log: pino({ level: 'silent' }),
    signal: stop.signal,
  });
  await until('it has waited often', () => delays.length >= atLeast);
  stop.abort();
  await informer.done;
  return delays.slice(0, atLeast);
}

test('a version that is gone after the API server was away is listed anew soon, however long it was away', async () => {
  expect(await delaysOf([503, 503, 503, 503, 410, 503], 6)).toEqual([250, 500, 1_000, 2_000, 250, 4_000]);
});

test('versions that are gone again and again are listed at a growing distance', async () => {
  expect(await delaysOf([410], 5)).toEqual([250, 250, 500, 1_000, 2_000]);
});
