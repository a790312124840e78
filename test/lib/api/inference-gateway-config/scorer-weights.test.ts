import { SCHEDULER_PROFILES, schedulerWeights } from '../../../../lib/api/inference-gateway-config/scorer-weights';

const PROFILES = ['balanced', 'latency', 'throughput'] as const;

test('a scheduler that names nothing has the weights of balanced', () => {
  expect(schedulerWeights({})).toEqual(SCHEDULER_PROFILES.balanced);
});

test('an EPP scheduler has no lru scorer, so its profiles leave that out', () => {
  expect(schedulerWeights({ scheduler: 'epp' })).toEqual({ ...SCHEDULER_PROFILES.balanced, lru: 0 });
});

test('explicit weights win over a profile, and what they leave out is off', () => {
  const weights = { queue: 2, kvCache: 2, prefix: 0, lru: 5 };
  expect(schedulerWeights({ weights, profile: 'latency' })).toEqual({
    ...weights,
    loraAffinity: 0,
    runningRequests: 0,
    predictedLatency: 0,
  });
});

test.each(PROFILES)('profile %s predicts the latency, and knows of cached prefixes and loaded adapters', (profile) => {
  const weights = schedulerWeights({ profile });
  expect(weights).toEqual(SCHEDULER_PROFILES[profile]);
  expect(Math.min(weights.predictedLatency, weights.prefix, weights.loraAffinity)).toBeGreaterThan(0);
});

test('latency puts the soonest answer first, throughput warm caches', () => {
  const [throughput, balanced, latency] = [
    SCHEDULER_PROFILES.throughput,
    SCHEDULER_PROFILES.balanced,
    SCHEDULER_PROFILES.latency,
  ].map(({ predictedLatency, prefix }) => predictedLatency / prefix);
  expect(throughput).toBeLessThan(balanced!);
  expect(balanced).toBeLessThan(latency!);
});
