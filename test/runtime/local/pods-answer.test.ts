import type { PodStatus, PoolStatus } from '../../../runtime/endpoint-picker/status';
import { untilPodsAnswer } from '../../../runtime/local/pods-answer';

const pool = (...pods: Pick<PodStatus, 'pod' | 'ready' | 'metrics'>[]): PoolStatus[] => [
  { scheduler: 'default/a', pods: pods.map((pod) => ({ ...pod, address: '10.0.0.1:8000', inFlight: 0, picks: 0 })) },
];

test('waits for a ready pod that has not answered yet, and not for one that is not ready', async () => {
  const absent = { pod: 'default/b', ready: false, metrics: 'never' } as const;
  const later = pool({ pod: 'default/a', ready: true, metrics: 'fresh' }, absent);
  const seen = [pool({ pod: 'default/a', ready: true, metrics: 'never' }, absent), later];

  expect(await untilPodsAnswer({ pools: async () => seen.shift() ?? later })).toBe(later);
  expect(seen).toEqual([]);
});

test('names the pods that do not answer', async () => {
  const silent = pool({ pod: 'default/a', ready: true, metrics: 'never' });

  await expect(untilPodsAnswer({ pools: async () => silent })).rejects.toThrow(
    'no model server answers at: default/a (10.0.0.1:8000)',
  );
});
