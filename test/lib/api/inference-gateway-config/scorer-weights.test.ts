import { SCHEDULER_PROFILES, schedulerWeights } from '../../../../lib/api/inference-gateway-config/scorer-weights';

const contract = { queue: 2, kvCache: 2, prefix: 3, lru: 0, loraAffinity: 0, runningRequests: 0, predictedLatency: 0 };

test('a scheduler that names nothing has the weights of the contract', () => {
  expect(schedulerWeights({})).toEqual(contract);
});

test('explicit weights win over a profile', () => {
  const weights = { queue: 2, kvCache: 2, prefix: 0, lru: 5 };
  expect(schedulerWeights({ weights, profile: 'latency' })).toEqual({ ...contract, prefix: 0, lru: 5 });
});

test.each(['balanced', 'latency', 'throughput'] as const)(
  'profile %s weighs something, and nothing that must be learned',
  (profile) => {
    const weights = schedulerWeights({ profile });
    expect(weights).toEqual(SCHEDULER_PROFILES[profile]);
    expect(Object.values(weights).some((weight) => weight > 0)).toBe(true);
    expect(weights.predictedLatency).toBe(0);
  },
);

test('latency prefers an idle pod to a warm cache, throughput the reverse', () => {
  const { latency, throughput } = SCHEDULER_PROFILES;
  expect(latency.queue).toBeGreaterThan(latency.prefix);
  expect(throughput.prefix).toBeGreaterThan(throughput.queue);
});
