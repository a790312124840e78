import type { PodStatus, PoolStatus } from '../../../runtime/endpoint-picker/status';
import { untilInformed } from '../../../runtime/picker-service/until-informed';

const pod = (change: Partial<PodStatus>): PodStatus => ({
  address: '10.0.0.1:8000',
  pod: 'default/a',
  ready: true,
  metrics: 'never',
  inFlight: 0,
  picks: 0,
  ...change,
});

async function took(pods: () => readonly PodStatus[], timeoutMs: number): Promise<number> {
  const from = performance.now();
  const pools = (): PoolStatus[] => [{ scheduler: 'default/llama', pods: pods() }];
  await untilInformed(pools, timeoutMs);
  return performance.now() - from;
}

test('pods that are not ready, excluded or known are not waited for', async () => {
  const known = [
    pod({ ready: false }),
    pod({ excluded: 'refused' }),
    pod({ metrics: 'no-metrics' }),
    pod({ metrics: 'fresh' }),
  ];
  expect(await took(() => known, 10_000)).toBeLessThan(1_000);
});

test('a pod that is ready is waited for until it has answered', async () => {
  let looks = 0;
  await took(() => [pod({ metrics: ++looks < 5 ? 'never' : 'fresh' })], 10_000);
  expect(looks).toBe(5);
});

test('one that never answers is waited for only so long', async () => {
  expect(await took(() => [pod({})], 100)).toBeGreaterThan(95);
});
