import type { Engine } from '../../../../runtime/simulator/engine/engine';
import { oracle } from '../../../../runtime/simulator/policies/oracle';
import { request, smallEngine } from '../engine/engine-trial';
import { policyTrial } from './policy-trial';

const BLOCKS = Array.from({ length: 20 }, (_, i) => i + 1);

/** The oracle over these engines, of 1,000 prompt tokens a second unless given. */
function trialOver(engines: readonly Engine[], prefillTokensPerSecond = engines.map(() => 1000)) {
  return policyTrial(oracle, engines.length, { engines, prefillTokensPerSecond });
}

test('takes the pod with the fewest prompt tokens ahead', () => {
  const engines = [300, 100, 200].map((promptTokens) => {
    const engine = smallEngine();
    engine.submit(0, request('ahead', { promptTokens, outputTokens: 50 }));
    return engine;
  });
  expect(trialOver(engines).choice().pods).toEqual([1, 2, 0]);
});

test('a faster pod comes first when its longer line is over sooner', () => {
  const [slow, fast] = [smallEngine(), smallEngine({ prefillTokensPerSecond: 4000 })];
  slow.submit(0, request('ahead', { promptTokens: 100 }));
  fast.submit(0, request('ahead', { promptTokens: 300 }));
  expect(trialOver([slow, fast], [1000, 4000]).pick()).toBe(1);
});

test('looks at what a cache holds truly, not at what was sent', () => {
  const [empty, warm] = [smallEngine(), smallEngine()];
  warm.submit(0, request('before', { promptTokens: 320, blocks: BLOCKS, outputTokens: 1 }));
  warm.advance(5);
  const trial = trialOver([empty, warm]);
  trial.now = 5;
  expect(trial.pick({ promptTokens: 330, blocks: BLOCKS })).toBe(1);
  expect(trial.pick({ promptTokens: 330, blocks: [] })).toBe(0);
});

test('a full cache is as bad as the true time until it has room', () => {
  const [full, free] = [smallEngine({ kvTokens: 512 }), smallEngine({ kvTokens: 512 })];
  full.submit(0, request('long', { promptTokens: 450, outputTokens: 50 }));
  full.advance(0.6);
  // One step more to come here than there, but room.
  free.submit(0, request('short', { promptTokens: 16, outputTokens: 200 }));
  free.advance(0.6);
  const trial = trialOver([full, free]);
  trial.now = 0.6;
  expect(trial.pick({ promptTokens: 100 })).toBe(1);
});

test('an adapter that is loaded comes before one that is not', () => {
  const [without, having] = [smallEngine(), smallEngine()];
  having.submit(0, request('before', { adapter: 'a', outputTokens: 1 }));
  having.advance(5);
  const trial = trialOver([without, having]);
  trial.now = 5;
  expect(trial.pick({ adapter: 'a' })).toBe(1);
});

test('a pod that the others do not yet know to be lost is the last choice', () => {
  const trial = policyTrial(
    {
      ...oracle,
      create: (view) =>
        oracle.create({ ...view, pods: view.pods.map((pod) => (pod.number === 0 ? { ...pod, lost: true } : pod)) }),
    },
    2,
    { engines: [smallEngine(), smallEngine()], prefillTokensPerSecond: [1000, 1000] },
  );
  expect(trial.choice().pods).toEqual([1, 0]);
});
