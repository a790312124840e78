import { ENGINE_PROFILES } from '../../../../runtime/simulator/engine/profiles';
import { POLICIES } from '../../../../runtime/simulator/policies';
import { scenarioRun } from '../../../../runtime/simulator/run/scenario-run';
import { TINY } from './tiny-scenario';

const OPTIONS = { policy: POLICIES['round-robin']!, seed: 1 };
const H100 = ENGINE_PROFILES['llama-8b-h100'].parameters;

test('pods are numbered in the fleet’s order, with what differs from their profile', () => {
  const { pods } = scenarioRun(
    {
      ...TINY,
      fleet: [
        { profile: 'llama-8b-h100', pods: 2, overrides: { maxLora: 3 } },
        { profile: 'llama-8b-a10g', pods: 1 },
      ],
    },
    OPTIONS,
  );
  expect(pods.map(({ parameters }) => [parameters.maxLora, parameters.kvTokens])).toEqual([
    [3, 439_000],
    [3, 439_000],
    [4, 31_000],
  ]);
});

test('an event of several pods is one for each, and pods to be added are absent at first', () => {
  const run = scenarioRun(
    {
      ...TINY,
      events: [
        { at: 5, kind: 'pod-added', pods: [1] },
        { at: 6, kind: 'metrics-outage' },
        { at: 7, kind: 'speed', pods: [0, 1], factor: 0.5 },
      ],
    },
    OPTIONS,
  );
  expect(run.pods.map(({ absent }) => absent)).toEqual([false, true]);
  expect(run.events).toEqual([
    { at: 5, kind: 'pod-added', pod: 1 },
    { at: 6, kind: 'metrics-outage' },
    { at: 7, kind: 'speed', pod: 0, factor: 0.5 },
    { at: 7, kind: 'speed', pod: 1, factor: 0.5 },
  ]);
});

test('factors move speed and cache, and nothing else', () => {
  const { pods } = scenarioRun(TINY, { ...OPTIONS, scale: { prefill: 0.5, decode: 2, kv: 0.7 } });
  expect(pods[0]?.parameters).toEqual({
    ...H100,
    prefillTokensPerSecond: 16_500,
    stepOverheadSeconds: H100.stepOverheadSeconds / 2,
    weightsFloorSeconds: H100.weightsFloorSeconds / 2,
    weightsFloorLimitSeconds: H100.weightsFloorLimitSeconds / 2,
    kvReadSecondsPerToken: H100.kvReadSecondsPerToken / 2,
    perSequenceSeconds: H100.perSequenceSeconds / 2,
    kvTokens: 307_300,
  });
});
