import type { FleetRequest } from '../../../../runtime/simulator/fleet/fleet-request';
import { runFleet } from '../../../../runtime/simulator/fleet/run-fleet';
import { gateway, gatewayFlow } from '../../../../runtime/simulator/policies/gateway';
import { fleetRequest, fleetRun, smallPods } from '../fleet/fleet-trial';

/** Twice what two pods can compute of prompts, for 30 s; every tenth request is Critical, the others Sheddable. */
function workload(): FleetRequest[] {
  return Array.from({ length: 600 }, (_, i) =>
    fleetRequest(i * 0.05, { promptTokens: 200, outputTokens: 2, priority: i % 10 === 0 ? 1 : -1 }),
  );
}

const RUN = { pods: smallPods(2), workload: workload() };

test('without flow control Critical waits in the engines like the others', () => {
  const { bands } = runFleet(fleetRun({ ...RUN, policy: gateway }));
  expect(bands.get('critical')!.firstTokenSeconds.at(-1)).toBeGreaterThan(10);
});

test('with it Critical is served soon, and Sheddable waits in the gateway, is served in part and told in time', () => {
  const { bands, errors } = runFleet(fleetRun({ ...RUN, policy: gatewayFlow }));
  const [critical, sheddable] = [bands.get('critical')!, bands.get('sheddable')!];
  expect(errors).toBe(0);
  expect(critical).toMatchObject({ requests: 60, refused: 0, expired: 0 });
  expect(critical.firstTokenSeconds.at(-1)).toBeLessThan(1.5);
  expect(sheddable.expired).toBeGreaterThan(0);
  expect(sheddable.firstTokenSeconds.length).toBeGreaterThan(150);
  // The time-to-live, and what a request that is let in just before takes.
  expect(sheddable.firstTokenSeconds.at(-1)).toBeLessThan(12);
});
