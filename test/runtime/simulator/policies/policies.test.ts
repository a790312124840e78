import type { PolicyKind } from '../../../../runtime/simulator/fleet/policy';
import { runFleet } from '../../../../runtime/simulator/fleet/run-fleet';
import { POLICIES } from '../../../../runtime/simulator/policies';
import { fleetRequest, fleetRun, requestsEvery, smallPods } from '../fleet/fleet-trial';
import { policyTrial } from './policy-trial';

const ALL = Object.entries(POLICIES);
const REAL = ALL.filter(([name]) => name !== 'oracle');

/** The policy over a fleet into whose engines nobody can look. */
function blind(kind: PolicyKind): PolicyKind {
  return {
    ...kind,
    create: (view) =>
      kind.create({
        ...view,
        pods: view.pods.map((pod) => ({
          number: pod.number,
          address: pod.address,
          name: pod.name,
          get ready() {
            return pod.ready;
          },
          get lost(): boolean {
            throw new Error('a router does not know that a pod is lost');
          },
          get engine(): never {
            throw new Error('a router cannot look into an engine');
          },
          get prefillTokensPerSecond(): never {
            throw new Error('a router does not know the speed of a pod');
          },
          metrics: () => {
            throw new Error('a router sees metrics only through scrapes');
          },
        })),
      }),
  };
}

function trialRun(policy: PolicyKind) {
  return fleetRun({
    pods: smallPods(3),
    events: [
      { kind: 'pod-lost', at: 2, pod: 1 },
      { kind: 'pod-returned', at: 5, pod: 1 },
    ],
    workload: requestsEvery(0.05, 150, { outputTokens: 30, prefixHashes: [1, 2] }),
    policy,
  });
}

test.each(REAL)('%s sees no engine, only scrapes, ends and sampled first tokens', (_, kind) => {
  expect(runFleet(trialRun(blind(kind)))).toEqual(runFleet(trialRun(kind)));
});

test('the oracle looks into engines', () => {
  expect(() => runFleet(trialRun(blind(POLICIES.oracle!)))).toThrow();
});

test.each(ALL)('%s has the name that it is called by', (name, kind) => {
  expect(kind.name).toBe(name);
});

test.each(REAL)('%s gives no endpoint when no pod is ready, and one again afterwards', (_, kind) => {
  const trial = policyTrial(kind, 2);
  trial.setReady(0, false);
  trial.setReady(1, false);
  expect(trial.policy.choose(fleetRequest(0))).toBe('no-endpoints');
  trial.setReady(1, true);
  expect(trial.pick()).toBe(1);
});

test.each(REAL)('%s never chooses a pod that is not ready, not as a fallback either', (_, kind) => {
  const trial = policyTrial(kind, 4);
  trial.setReady(2, false);
  for (let i = 0; i < 40; i++) {
    trial.now = i / 10;
    const { pods, ticket } = trial.choice({ connection: i, prefixHashes: [i % 3] });
    expect(pods).not.toContain(2);
    if (i % 2 === 0) ticket?.ended(true);
  }
});
