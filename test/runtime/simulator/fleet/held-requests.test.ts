import type { Choice } from '../../../../runtime/simulator/fleet/policy';
import { runFleet } from '../../../../runtime/simulator/fleet/run-fleet';
import { fleetRequest, fleetRun, policyOf, requestsEvery, smallPods } from './fleet-trial';

/** Decides after so many seconds. */
function deciding(seconds: number, choice: Choice) {
  return policyOf((_request, view) => ({
    whenSettled(settled) {
      view.after(seconds, () => settled(choice));
    },
  }));
}

function firstTokens(seconds: number) {
  return runFleet(
    fleetRun({ pods: smallPods(1), workload: [fleetRequest(1)], policy: deciding(seconds, { pods: [0] }) }),
  ).firstTokenSeconds[0]!;
}

test('a request that is held is sent later, and its first token counts from its arrival', () => {
  expect(firstTokens(5) - firstTokens(0)).toBeCloseTo(5, 9);
});

test.each(['refused', 'expired', 'no-endpoints'] as const)('one that is held may end as %s', (choice) => {
  const result = runFleet(
    fleetRun({ pods: smallPods(1), workload: requestsEvery(1, 3), policy: deciding(20, choice) }),
  );
  expect(result).toMatchObject(choice === 'no-endpoints' ? { errors: 3, refused: 0 } : { errors: 0, refused: 3 });
  expect(result.bands.get('standard')?.expired).toBe(choice === 'expired' ? 3 : 0);
});

test('what a policy plans happens at its time, unless it is called off', () => {
  const done: Array<[string, number]> = [];
  const policy = policyOf((_request, view) => {
    view.after(0.2, () => done.push(['kept', view.now()]));
    view.after(0.1, () => done.push(['called off', view.now()]))();
    return { pods: [0] };
  });
  runFleet(fleetRun({ pods: smallPods(1), workload: requestsEvery(1, 2), policy }));
  expect(done).toEqual([['kept', 0.2]]);
});
