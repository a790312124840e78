import type { FleetRequest } from '../../../../runtime/simulator/fleet/fleet-request';
import type { FleetEvent } from '../../../../runtime/simulator/fleet/fleet-run';
import { runFleet } from '../../../../runtime/simulator/fleet/run-fleet';
import { POLICIES } from '../../../../runtime/simulator/policies';
import { fleetRequest, fleetRun, policyOf, requestsEvery, smallPod, smallPods } from './fleet-trial';

const ROUND_ROBIN = POLICIES['round-robin']!;

/** Pod 0 first, then pod 1. */
const FIRST_POD = policyOf(() => ({ pods: [0, 1] }));

/** Requests by chance, so many that pods queue and preempt. */
function busyWorkload(): FleetRequest[] {
  return Array.from({ length: 60 }, (_, i) =>
    fleetRequest(i * 0.05, {
      promptTokens: 20 + ((i * 37) % 200),
      outputTokens: 5 + ((i * 53) % 90),
      connection: i % 4,
      prefixHashes: [1 + (i % 3)],
    }),
  );
}

test.each(Object.values(POLICIES).map((policy) => [policy.name, policy] as const))(
  'the same run has the same result, by %s',
  (_, policy) => {
    const run = fleetRun({
      pods: smallPods(3, { stepSpread: 0.1 }),
      events: [{ kind: 'pod-lost', at: 1, pod: 1 }],
      network: { delaySeconds: 0.005, loss: 0.1 },
      workload: busyWorkload(),
      policy,
    });
    expect(runFleet(run)).toEqual(runFleet(run));
  },
);

test('another seed is another run', () => {
  const run = fleetRun({ pods: smallPods(2, { stepSpread: 0.1 }), workload: busyWorkload(), policy: ROUND_ROBIN });
  expect(runFleet(run).firstTokenSeconds).not.toEqual(runFleet({ ...run, seed: 2 }).firstTokenSeconds);
});

test('a policy that draws more chance does not change what the engines draw', () => {
  const pods = smallPods(2, { stepSpread: 0.1 });
  const run = fleetRun({ pods, workload: busyWorkload(), policy: policyOf(() => ({ pods: [0] })) });
  const drawing = policyOf((_, view) => {
    view.random();
    return { pods: [0] };
  });
  expect(runFleet({ ...run, policy: drawing })).toEqual(runFleet(run));
});

test('virtual time never goes back, whatever happens', () => {
  const times: number[] = [];
  const policy = policyOf((_, view) => {
    times.push(view.now());
    return {
      pods: [0, 1],
      ticket: { firstToken: () => times.push(view.now()), ended: () => times.push(view.now()), served() {} },
    };
  });
  const events: FleetEvent[] = [
    { kind: 'speed', at: 0.505, pod: 0, factor: 0.5 },
    { kind: 'pod-lost', at: 1.005, pod: 0 },
    { kind: 'pod-returned', at: 1.505, pod: 0 },
    { kind: 'speed', at: 1.507, pod: 0, factor: 2 },
  ];
  runFleet(fleetRun({ pods: smallPods(2), events, workload: requestsEvery(0.2, 15, { outputTokens: 80 }), policy }));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.length).toBeGreaterThan(40);
});

test('a lost pod fails what it has in flight at once', () => {
  const ends: Array<readonly [number, boolean]> = [];
  const policy = policyOf((_, view) => ({
    pods: [0],
    ticket: { ended: (ok) => ends.push([view.now(), ok]) },
  }));
  const result = runFleet(
    fleetRun({
      pods: smallPods(1),
      events: [{ kind: 'pod-lost', at: 0.5, pod: 0 }],
      workload: requestsEvery(0.1, 3, { outputTokens: 90 }),
      policy,
    }),
  );
  expect(ends).toEqual([
    [0.5, false],
    [0.5, false],
    [0.5, false],
  ]);
  expect(result).toMatchObject({ requests: 3, errors: 3, refused: 0, goodputPerSecond: 0 });
});

test('a pod that does not take the connection is passed over, and the policy is told who did', () => {
  const served: number[] = [];
  const policy = policyOf(() => ({ pods: [0, 1, 2], ticket: { served: (pod) => served.push(pod), ended() {} } }));
  const events: FleetEvent[] = [
    { kind: 'pod-lost', at: 0.5, pod: 0 },
    { kind: 'pod-lost', at: 1.5, pod: 1 },
  ];
  const result = runFleet(fleetRun({ pods: smallPods(3), events, workload: requestsEvery(1, 3), policy }));
  expect(result.requestsByPod).toEqual([1, 1, 1]);
  expect(served).toEqual([1, 2]);
  expect(result.errors).toBe(0);
});

test('trying the next pod takes a millisecond', () => {
  const run = fleetRun({ pods: smallPods(2), workload: [fleetRequest(1)], policy: FIRST_POD });
  const [direct] = runFleet(run).firstTokenSeconds;
  const [retried] = runFleet({ ...run, events: [{ kind: 'pod-lost', at: 0, pod: 0 }] }).firstTokenSeconds;
  expect(retried! - direct!).toBeCloseTo(0.001, 9);
});

test('a request whose every pod is lost is an error', () => {
  const events: FleetEvent[] = [0, 1].map((pod) => ({ kind: 'pod-lost', at: 0, pod }));
  const result = runFleet(fleetRun({ pods: smallPods(2), events, workload: [fleetRequest(1)], policy: FIRST_POD }));
  expect(result).toMatchObject({ errors: 1, requestsByPod: [0, 0] });
});

test('a refused request and one without endpoints never reach a pod', () => {
  const policy = policyOf(({ connection }) => (connection === 0 ? 'refused' : 'no-endpoints'));
  const workload = [fleetRequest(0), fleetRequest(1, { connection: 1 })];
  const result = runFleet(fleetRun({ pods: smallPods(1), workload, policy }));
  expect(result).toMatchObject({ refused: 1, errors: 1, requestsByPod: [0] });
});

/** The ready pods that a policy sees at the arrivals, which are a second apart. */
function readyAtArrivals(events: FleetEvent[], absent = false): number[][] {
  const seen: number[][] = [];
  const policy = policyOf((_, { pods }) => {
    seen.push(pods.filter(({ ready }) => ready).map(({ number }) => number));
    return { pods: [0] };
  });
  const pods = [smallPod(), smallPod({}, absent)];
  runFleet(fleetRun({ pods, events, workload: requestsEvery(1, 6), noticeSeconds: 2, policy }));
  return seen;
}

test('a loss is noticed only after its time, a return at once', () => {
  const events: FleetEvent[] = [
    { kind: 'pod-lost', at: 0.5, pod: 1 },
    { kind: 'pod-returned', at: 4.5, pod: 1 },
  ];
  expect(readyAtArrivals(events)).toEqual([[0, 1], [0, 1], [0, 1], [0], [0], [0, 1]]);
});

test('a pod that is back before its loss was noticed stays ready', () => {
  const events: FleetEvent[] = [
    { kind: 'pod-lost', at: 0.5, pod: 1 },
    { kind: 'pod-returned', at: 1.5, pod: 1 },
  ];
  expect(readyAtArrivals(events)).toEqual(Array(6).fill([0, 1]));
});

test('an absent pod is ready from its coming on', () => {
  expect(readyAtArrivals([{ kind: 'pod-added', at: 2.5, pod: 1 }], true)).toEqual([
    [0],
    [0],
    [0],
    [0, 1],
    [0, 1],
    [0, 1],
  ]);
});

test('readiness is told when it changes, and only then', () => {
  let told = 0;
  const policy = {
    ...ROUND_ROBIN,
    create(view: Parameters<typeof ROUND_ROBIN.create>[0]) {
      view.onReadiness(() => {
        told += 1;
      });
      return ROUND_ROBIN.create(view);
    },
  };
  const events: FleetEvent[] = [
    { kind: 'pod-returned', at: 0.5, pod: 0 },
    { kind: 'pod-lost', at: 1, pod: 0 },
    { kind: 'pod-returned', at: 3, pod: 0 },
  ];
  runFleet(fleetRun({ pods: smallPods(2), events, workload: requestsEvery(1, 6), policy }));
  expect(told).toBe(2);
});

test.each(['round-robin', 'random', 'least-request', 'power-of-two', 'prefix-sticky', 'gie-default', 'gateway'])(
  'a pod that is added gets its share, by %s',
  (name) => {
    const result = runFleet(
      fleetRun({
        pods: [...smallPods(2), smallPod({}, true)],
        events: [{ kind: 'pod-added', at: 5, pod: 2 }],
        workload: Array.from({ length: 200 }, (_, i) => fleetRequest(i * 0.1, { outputTokens: 40, prefixHashes: [i] })),
        policy: POLICIES[name]!,
      }),
    );
    expect(result.requestsByPod[2]).toBeGreaterThan(30);
    expect(result.errors + result.refused).toBe(0);
  },
);

test('a pod that is throttled takes as much longer, from that moment on', () => {
  const run = fleetRun({ pods: smallPods(1), workload: requestsEvery(5, 2, { outputTokens: 101 }), policy: FIRST_POD });
  const events: FleetEvent[] = [{ kind: 'speed', at: 4, pod: 0, factor: 0.25 }];
  expect(runFleet(run).interTokenMeanSeconds).toBeCloseTo(0.01, 6);
  expect(runFleet({ ...run, events }).interTokenMeanSeconds).toBeCloseTo((0.01 + 0.04) / 2, 6);
});

test('no scrape of a policy is answered between a metrics outage and its end', () => {
  const answers: number[] = [];
  const watching = {
    ...ROUND_ROBIN,
    scrapeInterval: { busySeconds: 1, idleSeconds: 1 },
    create(view: Parameters<typeof ROUND_ROBIN.create>[0]) {
      view.metrics.watch({
        address: view.pods[0]!.address,
        pod: view.pods[0]!.name,
        scheduler: 'fleet/model',
        engine: 'vllm',
        busy: () => false,
        sent() {},
        answered: () => answers.push(Math.floor(view.now())),
        failed() {},
        paced() {},
      });
      return ROUND_ROBIN.create(view);
    },
  };
  const events: FleetEvent[] = [
    { kind: 'metrics-outage', at: 3 },
    { kind: 'metrics-return', at: 6 },
  ];
  runFleet(fleetRun({ pods: smallPods(1), events, workload: requestsEvery(1, 10), policy: watching }));
  expect(answers.filter((second) => second < 9)).toEqual([0, 1, 2, 6, 7, 8]);
});

test('the run’s own scrape interval comes before the policy’s', () => {
  const count = (scrapeInterval?: { busySeconds: number; idleSeconds: number }) => {
    let scrapes = 0;
    const policy = {
      ...FIRST_POD,
      scrapeInterval: { busySeconds: 1, idleSeconds: 1 },
      create(view: Parameters<typeof FIRST_POD.create>[0]) {
        view.metrics.watch({
          address: view.pods[0]!.address,
          pod: view.pods[0]!.name,
          scheduler: 'fleet/model',
          engine: 'vllm',
          busy: () => false,
          sent() {
            scrapes += 1;
          },
          answered() {},
          failed() {},
          paced() {},
        });
        return FIRST_POD.create(view);
      },
    };
    const run = fleetRun({ pods: smallPods(1), workload: requestsEvery(1, 11), policy });
    runFleet(scrapeInterval === undefined ? run : { ...run, scrapeInterval });
    return scrapes;
  };
  expect(count()).toBe(10);
  expect(count({ busySeconds: 2, idleSeconds: 2 })).toBe(5);
});
