import type { FleetRequest } from '../../../../runtime/simulator/fleet/fleet-request';
import { runFleet } from '../../../../runtime/simulator/fleet/run-fleet';
import { gateway, gatewayFlow } from '../../../../runtime/simulator/policies/gateway';
import { fleetRequest, fleetRun, smallPods } from '../fleet/fleet-trial';
import { runScenario } from './scenario-trial';

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

/** Eight adapters on pods that hold three, at a load that they carry with each adapter where it is. */
const ADAPTERS = {
  fleet: [{ profile: 'llama-8b-h100', pods: 4, overrides: { maxLora: 3, adapterLoadSeconds: 1 } }],
  adapters: {
    tiers: [
      { adapters: 4, share: 0.7 },
      { adapters: 4, share: 0.3 },
    ],
  },
  ratePerSecond: 90,
  arrivalSeconds: 90,
  bands: [
    { priority: 1, share: 0.3 },
    { priority: 0, share: 0.35 },
    { priority: -1, share: 0.35 },
  ],
};

test('with it adapters stay where they are: who waits for room there does not push out those of others', () => {
  const { bands } = runScenario(ADAPTERS, 'gateway-flow');
  const [critical, standard] = [bands.get('critical')!, bands.get('standard')!];
  const p95 = critical.firstTokenSeconds[Math.floor(critical.firstTokenSeconds.length * 0.95)];
  expect(p95).toBeLessThan(0.5);
  expect(standard.expired / standard.requests).toBeLessThan(0.02);
});
