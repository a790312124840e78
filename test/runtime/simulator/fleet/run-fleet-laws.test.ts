import fc from 'fast-check';
import type { FleetRequest } from '../../../../runtime/simulator/fleet/fleet-request';
import type { Choice } from '../../../../runtime/simulator/fleet/policy';
import { runFleet } from '../../../../runtime/simulator/fleet/run-fleet';
import { POLICIES } from '../../../../runtime/simulator/policies';
import { fleetRequest, fleetRun, smallPod } from './fleet-trial';

test('every request is answered, refused or an error, and leaves the policy exactly once', () => {
  const podEvent = fc.record({
    kind: fc.constantFrom('pod-lost' as const, 'pod-returned' as const, 'pod-added' as const),
    at: fc.double({ min: 0, max: 3, noNaN: true }),
    pod: fc.integer({ min: 0, max: 2 }),
  });
  const speedEvent = fc.record({
    kind: fc.constant('speed' as const),
    at: fc.double({ min: 0, max: 3, noNaN: true }),
    pod: fc.integer({ min: 0, max: 2 }),
    factor: fc.constantFrom(0.25, 1, 2),
  });
  const outage = fc.record({
    kind: fc.constantFrom('metrics-outage' as const, 'metrics-return' as const),
    at: fc.double({ min: 0, max: 3, noNaN: true }),
  });
  const request = fc.record({
    at: fc.double({ min: 0, max: 3, noNaN: true }),
    // Some pass the model's longest context: the engine rejects them.
    promptTokens: fc.integer({ min: 1, max: 560 }),
    outputTokens: fc.integer({ min: 1, max: 60 }),
    adapter: fc.constantFrom(undefined, undefined, 'a', 'b', 'c'),
    group: fc.integer({ min: 1, max: 3 }),
  });
  const scenario = fc.record({
    events: fc.array(fc.oneof(podEvent, speedEvent, outage), { maxLength: 6 }),
    requests: fc.array(request, { minLength: 1, maxLength: 30 }),
    policy: fc.constantFrom(...Object.values(POLICIES)),
    absent: fc.boolean(),
    loss: fc.constantFrom(0, 0.5),
    noticeSeconds: fc.constantFrom(0, 0.5),
  });
  fc.assert(
    fc.property(scenario, ({ events, requests, policy, absent, loss, noticeSeconds }) => {
      const workload = requests
        .sort((a, b) => a.at - b.at)
        .map(({ at, group, adapter, ...sizes }) =>
          fleetRequest(at, { ...sizes, prefixHashes: [group], ...(adapter !== undefined && { adapter }) }),
        );
      let entered = 0;
      let ended = 0;
      let good = 0;
      const counting = {
        ...policy,
        create(view: Parameters<typeof policy.create>[0]) {
          const inner = policy.create(view);
          return {
            choose(one: FleetRequest) {
              const choice = inner.choose(one);
              if (typeof choice === 'string' || 'pods' in choice) return counted(choice);
              return {
                whenSettled: (settled: (later: Choice) => void) =>
                  choice.whenSettled((later) => settled(counted(later))),
              };
            },
          };
        },
      };
      function counted(choice: Choice): Choice {
        if (typeof choice === 'string') return choice;
        entered += 1;
        return {
          ...choice,
          ticket: {
            ...choice.ticket,
            ended(ok: boolean) {
              ended += 1;
              good += Number(ok);
              choice.ticket?.ended(ok);
            },
          },
        };
      }
      const result = runFleet(
        fleetRun({
          pods: [smallPod(), smallPod({ prefillTokensPerSecond: 300 }), smallPod({}, absent)],
          events,
          workload,
          network: { delaySeconds: 0.005, loss },
          noticeSeconds,
          policy: counting,
        }),
      );
      const answered = result.firstTokenSeconds.length;
      expect(result.requests).toBe(workload.length);
      expect(answered + result.refused + result.errors).toBe(workload.length);
      expect([ended, good]).toEqual([entered, answered]);
      expect(result.requestsByPod.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(answered);
    }),
    { numRuns: 60 },
  );
});
