import { systemClock } from '../../../runtime/kubernetes/clock';

test('sleeps as long as told, or until the signal', async () => {
  const start = systemClock.now();
  await systemClock.sleep(30);
  expect(systemClock.now() - start).toBeGreaterThanOrEqual(29);

  const stop = new AbortController();
  const asleep = systemClock.sleep(60_000, stop.signal);
  stop.abort();
  await asleep;
  await systemClock.sleep(60_000, stop.signal);
  expect(systemClock.now() - start).toBeLessThan(5_000);
});
