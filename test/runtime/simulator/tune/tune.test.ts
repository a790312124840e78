import { schedulerWeights } from '../../../../lib/api/inference-gateway-config/scorer-weights';
import type { FleetRequest } from '../../../../runtime/simulator/fleet/fleet-request';
import { parseFleet } from '../../../../runtime/simulator/tune/fleet-file';
import { type TuneStep, tune } from '../../../../runtime/simulator/tune/tune';

/** More than the slow one of two pods can take, as half of all. */
const requests = Array.from(
  { length: 1200 },
  (_, index): FleetRequest => ({
    at: index * 0.15,
    promptTokens: 4000,
    outputTokens: 8,
    blocks: [],
    prefixHashes: [],
    connection: 0,
  }),
);
const pods = parseFleet('fleet: [{ profile: llama-8b-h100, pods: 1 }, { profile: llama-8b-a10g, pods: 1 }]');
const fleet = { pods, maxQueueSeconds: 30 };
const present = schedulerWeights({ weights: { queue: 0, kvCache: 1, prefix: 0 } });
const last = (steps: Iterable<TuneStep>) => [...steps].at(-1)!;

test('weights that pay no regard to a slow pod are found to be worse than those that do', () => {
  const { weights, comparison } = last(tune({ ...fleet, requests, present, trials: 12, seed: 1 }));
  expect(weights.predictedLatency).toBeGreaterThan(0);
  expect(comparison!.better).toBe(true);
  expect([comparison!.p95.high, comparison!.p99.high].every((percent) => percent < 0)).toBe(true);
});

test('one trial is that of the present weights, and compares nothing', () => {
  expect([...tune({ ...fleet, requests, present, trials: 1, seed: 1 })]).toEqual([{ trial: 1, weights: present }]);
});

test('the same seed gives the same steps, and no weight of adapters or of lru where there are none', () => {
  const steps = () => [...tune({ ...fleet, requests, present, trials: 2, seed: 3 })];
  const all = steps();
  expect(steps()).toEqual(all);
  for (const { weights } of all) expect([weights.lru, weights.loraAffinity]).toEqual([0, 0]);
});

test('a trace that is too short is refused before the first step', () => {
  const short = requests.slice(0, 100);
  expect(() => tune({ ...fleet, requests: short, present, trials: 1, seed: 1 })).toThrow('100 requests; tuning needs');
});
