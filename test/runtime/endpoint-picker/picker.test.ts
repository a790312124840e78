import fc from 'fast-check';
import type { PickedEndpoints } from '../../../runtime/endpoint-picker/endpoint-picker';
import {
  EVERY_WEIGHT,
  endpointStates,
  engineMetrics,
  gatewayState,
  NO_WEIGHTS,
  pickerRig,
  pickerRigWith,
  pickRequest,
  residency,
  schedulerState,
} from './support/fixtures';
import { ADDRESS, inFlight, PODS, pick, picksByPod, prompt } from './support/picks';

const [POD_0, POD_1, POD_2, POD_3] = PODS;

describe('the choice', () => {
  test('names the choice and two fallbacks', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tell(POD_0, engineMetrics({ kvUsage: 0.4 }));
    rig.metrics.tell(POD_1, engineMetrics({ kvUsage: 0.1 }));
    rig.metrics.tell(POD_2, engineMetrics({ kvUsage: 0.3 }));
    rig.metrics.tell(POD_3, engineMetrics({ kvUsage: 0.2 }));
    expect(pick(rig).endpoints).toEqual([POD_1, POD_3, POD_2].map((pod) => ADDRESS.get(pod)));
  });

  test('a long prompt goes back to the pod that got its prefix', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(engineMetrics());
    const first = pick(rig, prompt(1000));
    first.ticket.done(200);
    pick(rig, prompt(5000)).ticket.done(200);
    expect(pick(rig, prompt(1000)).endpoints[0]).toBe(first.endpoints[0]);
  });

  test('a hot prefix does not pile up on one pod while the others have nothing to do', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(engineMetrics());
    const counts = picksByPod(rig, 200, prompt(1000));
    expect(Math.min(...counts)).toBeGreaterThan(20);
  });

  test('is explained when that is asked for, and only then', () => {
    const rig = pickerRig(schedulerState({ weights: { ...NO_WEIGHTS, queue: 2, kvCache: 2, prefix: 3 } }));
    rig.metrics.tellAll(engineMetrics());
    expect(pick(rig, { explain: true }).explanation).toMatchObject({
      weights: { queue: 2, kvCache: 2, prefix: 3 },
      candidates: Array(4).fill({ total: 4, scores: { queue: 1, kvCache: 1, prefix: 0 } }),
      runnerUp: { by: 0 },
    });
    expect(pick(rig)).not.toHaveProperty('explanation');
  });

  test('each scheduler chooses among its own endpoints', () => {
    const other = endpointStates(6).slice(4);
    const rig = pickerRig(schedulerState(), schedulerState({ name: 'qwen', endpoints: other }));
    const [address] = pick(rig, { scheduler: 'models/qwen' }).endpoints;
    expect(other.map((endpoint) => endpoint.address)).toContain(address);
  });
});

test('a decision sees every change at once: it is the same as when all is written anew before it', () => {
  const state = gatewayState(schedulerState({ weights: EVERY_WEIGHT }));
  const pod = fc.constantFrom(...ADDRESS.keys());
  const adapter = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('pick' as const), first: fc.nat(3), adapter }) },
    fc.record({ kind: fc.constantFrom('done' as const, 'sent' as const, 'refused' as const), pod, which: fc.nat(30) }),
    fc.record({ kind: fc.constantFrom('served' as const, 'firstToken' as const), pod, which: fc.nat(30) }),
    fc.record({ kind: fc.constant('answered' as const), pod, waiting: fc.nat(9), running: fc.nat(9), adapter }),
    fc.record({ kind: fc.constant('paced' as const), pod, intervalMs: fc.constantFrom(200, 1000) }),
    fc.record({ kind: fc.constant('passed' as const), ms: fc.nat(2500) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [left, right] = [pickerRig(...state.schedulers), pickerRig(...state.schedulers)];
      const outcomes = [left, right].map((rig) => {
        rig.metrics.tellAll(engineMetrics());
        const tickets: PickedEndpoints['ticket'][] = [];
        return steps.map((each) => {
          const ticket = 'which' in each ? tickets[each.which % tickets.length] : undefined;
          const target = 'pod' in each ? rig.metrics.targets.get(each.pod)! : undefined;
          if (each.kind === 'done') ticket?.done(200);
          else if (each.kind === 'served') ticket?.served(ADDRESS.get(each.pod)!);
          else if (each.kind === 'firstToken') ticket?.firstToken();
          else if (each.kind === 'sent') target!.sent();
          else if (each.kind === 'refused') target!.failed('refused');
          else if (each.kind === 'answered') {
            const { waiting, running } = each;
            const adapters = residency(each.adapter === undefined ? [] : [each.adapter], 2);
            target!.answered(engineMetrics({ waiting, running, kvUsage: running / 10, adapters }));
          } else if (each.kind === 'paced') target!.paced(each.intervalMs);
          else if (each.kind === 'passed') rig.now += each.ms;
          if (each.kind !== 'pick') return undefined;
          if (rig === right) rig.picker.update(state);
          const change = { ...prompt(each.first * 1000, 8), explain: true };
          const result = pick(rig, each.adapter === undefined ? change : { ...change, adapter: each.adapter });
          tickets.push(result.ticket);
          return [result.endpoints, result.explanation];
        });
      });
      expect(outcomes[0]).toEqual(outcomes[1]);
    }),
    { numRuns: 60 },
  );
});

describe('exclusion', () => {
  test('a pod that is not ready gets nothing', () => {
    const endpoints = endpointStates(4).map((endpoint, i) => ({ ...endpoint, ready: i > 1 }));
    const rig = pickerRig(schedulerState({ endpoints }));
    rig.metrics.tellAll(engineMetrics());
    expect(picksByPod(rig, 10)).toEqual([0, 0, 5, 5]);
  });

  test('a pod whose metrics are older than 2 s gets nothing while another is fresh', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(engineMetrics());
    rig.now += 2001;
    rig.metrics.tell(POD_3, engineMetrics({ waiting: 50 }));
    expect(picksByPod(rig, 4)).toEqual([0, 0, 0, 4]);
  });

  test('a pod that was never scraped gets nothing while another is fresh', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tell(POD_1, engineMetrics({ waiting: 50 }));
    expect(picksByPod(rig, 4)).toEqual([0, 4, 0, 0]);
  });

  test('a pod that refuses the scrape is stale at once', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(engineMetrics());
    rig.metrics.targets.get(POD_0)!.failed('refused');
    expect(picksByPod(rig, 9)).toEqual([0, 3, 3, 3]);
  });

  test('when every pod is stale the ledger decides alone', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tell(POD_0, engineMetrics());
    for (const pod of [POD_1, POD_2, POD_3]) rig.metrics.tell(pod, engineMetrics({ waiting: 90, kvUsage: 0.9 }));
    rig.now += 60_000;
    expect(picksByPod(rig, 40)).toEqual([10, 10, 10, 10]);
  });

  test('servers without a metrics page are served by the ledger, among themselves and beside others', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll('no-metrics');
    expect(picksByPod(rig, 40)).toEqual([10, 10, 10, 10]);
    rig.metrics.tell(POD_0, engineMetrics({ waiting: 10, running: 10, kvUsage: 0.5 }));
    expect(picksByPod(rig, 4)).toEqual([1, 1, 1, 1]);
  });

  test('without a ready pod, or without the scheduler, there are no endpoints', () => {
    const endpoints = endpointStates(2).map((endpoint) => ({ ...endpoint, ready: false }));
    const rig = pickerRig(schedulerState({ endpoints }));
    expect(rig.picker.pick(pickRequest())).toEqual({ outcome: 'no-endpoints', retryAfterSeconds: 1 });
    expect(rig.picker.pick(pickRequest({ scheduler: 'models/none' })).outcome).toBe('no-endpoints');
  });
});

describe('the ledger', () => {
  test('counts a request from the pick until it is done, once', () => {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(1) }));
    const { ticket } = pick(rig);
    pick(rig);
    expect(inFlight(rig)).toEqual([2]);
    ticket.done(200);
    ticket.done(200);
    ticket.served('10.0.0.9:1');
    expect(inFlight(rig)).toEqual([1]);
  });

  test('follows the pod that really served', () => {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(2) }));
    const { endpoints, ticket } = pick(rig);
    ticket.served(endpoints[1]!);
    ticket.served(endpoints[1]!);
    const served = rig.picker.status()[0]!.pods.find((pod) => pod.address === endpoints[1]);
    expect(served?.inFlight).toBe(1);
    expect(inFlight(rig).reduce((a, b) => a + b)).toBe(1);
    expect(rig.observer.lines.filter((line) => line.includes('elsewhere'))).toEqual([
      'served elsewhere models/llama moved',
    ]);
    ticket.done(200);
    expect(inFlight(rig)).toEqual([0, 0]);
  });

  test('lets go of a request that an unknown address serves, and counts that', () => {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(1) }));
    const { ticket } = pick(rig);
    ticket.served('192.0.2.1:9');
    expect(inFlight(rig)).toEqual([0]);
    expect(rig.observer.lines).toContain('served elsewhere models/llama unknown');
  });

  test('a new pod at an old address starts empty, and the old requests do not touch it', () => {
    const [first] = endpointStates(1);
    const rig = pickerRig(schedulerState({ endpoints: [first!] }));
    const { ticket } = pick(rig);
    rig.picker.update(gatewayState(schedulerState({ endpoints: [{ ...first!, uid: 'reborn' }] })));
    expect(inFlight(rig)).toEqual([0]);
    ticket.served(first!.address);
    ticket.done(200);
    expect(inFlight(rig)).toEqual([0]);
  });
});

describe('a new state', () => {
  test('a pod of another name at an old address starts empty, also where pods have no uid', () => {
    const at = (pod: string) => schedulerState({ endpoints: [{ address: '10.0.0.1:80', pod, ready: true }] });
    const rig = pickerRig(at('models/old'));
    pick(rig);
    rig.picker.update(gatewayState(at('models/new')));
    expect(rig.picker.status()[0]!.pods).toMatchObject([{ pod: 'models/new', inFlight: 0, picks: 0 }]);
  });

  test('a pod whose metrics page has moved to another port is read there, and starts empty', () => {
    const at = (metricsPort: number) =>
      schedulerState({ endpoints: [{ address: '10.0.0.1:80', pod: 'models/m', ready: true, metricsPort }] });
    const rig = pickerRig(at(8002));
    pick(rig);
    rig.picker.update(gatewayState(at(9400)));
    expect(rig.metrics.targets.get('models/m')?.metricsPort).toBe(9400);
    expect(rig.picker.status()[0]!.pods).toMatchObject([{ inFlight: 0, picks: 0 }]);
  });

  test('a pod that is not ready for a while keeps its ledger', () => {
    const endpoints = endpointStates(2);
    const rig = pickerRig(schedulerState({ endpoints }));
    rig.metrics.tellAll(engineMetrics());
    const busy = pick(rig).endpoints[0]!;
    for (const ready of [false, true]) {
      const states = endpoints.map((state) => (state.address === busy ? { ...state, ready } : state));
      rig.picker.update(gatewayState(schedulerState({ endpoints: states })));
    }
    expect(pick(rig).endpoints[0]).not.toBe(busy);
  });

  test('keeps ledger, metrics and prefixes of the pods that stay', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(engineMetrics({ kvUsage: 0.5 }));
    const { endpoints } = pick(rig, prompt(1000));
    const reordered = endpointStates(6).reverse();
    rig.picker.update(gatewayState(schedulerState({ endpoints: reordered })));
    const pod = rig.picker.status()[0]!.pods.find(({ address }) => address === endpoints[0]);
    expect(pod).toMatchObject({ inFlight: 1, picks: 1, kvUsage: 0.5, metrics: 'fresh' });
    for (const each of ADDRESS.keys()) rig.metrics.tell(each, engineMetrics());
    expect(pick(rig, prompt(1000)).endpoints[0]).toBe(endpoints[0]);
  });

  test('stops reading pods and schedulers that are gone', () => {
    const rig = pickerRig(schedulerState(), schedulerState({ name: 'qwen', endpoints: endpointStates(6).slice(4) }));
    rig.picker.update(gatewayState(schedulerState({ endpoints: endpointStates(2) })));
    expect([...rig.metrics.targets.keys()]).toEqual([POD_0, POD_1]);
    expect(rig.picker.pick(pickRequest({ scheduler: 'models/qwen' })).outcome).toBe('no-endpoints');
  });

  test('a pod that comes after another went does not inherit its prefixes', () => {
    const [a, b] = endpointStates(2);
    const rig = pickerRig(schedulerState({ endpoints: [a!] }));
    pick(rig, prompt(1000)).ticket.done(200);
    rig.picker.update(gatewayState(schedulerState({ endpoints: [b!] })));
    expect(pick(rig, { ...prompt(1000), explain: true }).explanation!.candidates[0]!.scores.prefix).toBe(0);
  });
});

describe('the index', () => {
  test('tells how many blocks of the prompt the choice is held to have', () => {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(1) }));
    expect(pick(rig, prompt(1000, 8)).matchedBlocks).toBe(0);
    expect(pick(rig, { ...prompt(1000, 8), prefixHashes: [1000, 1001, 5, 6] }).matchedBlocks).toBe(2);
  });

  test('a pod that serves in place of the choice holds the prompt, too', () => {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(2), weights: { ...NO_WEIGHTS, prefix: 1 } }));
    const first = pick(rig, prompt(1000));
    first.ticket.served(first.endpoints[1]!);
    first.ticket.done(200);
    rig.picker.update(
      gatewayState(
        schedulerState({
          endpoints: endpointStates(2).filter(({ address }) => address === first.endpoints[1]),
          weights: { ...NO_WEIGHTS, prefix: 1 },
        }),
      ),
    );
    expect(pick(rig, prompt(1000)).matchedBlocks).toBe(64);
  });

  test('keeps no more of a pod than its KV cache holds', () => {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(1) }));
    rig.metrics.tell(POD_0, engineMetrics({ kvCapacityTokens: 64 * 20 }));
    pick(rig, prompt(1000, 64));
    expect(pick(rig, prompt(1000, 64)).matchedBlocks).toBe(20);
  });

  test('may be written after the answer: the next decision knows of it all the same', () => {
    const later: Array<() => void> = [];
    const rig = pickerRigWith({ later: (work) => later.push(work) }, schedulerState({ endpoints: endpointStates(1) }));
    pick(rig, prompt(1000, 8));
    expect(pick(rig, prompt(1000, 8)).matchedBlocks).toBe(8);
    pick(rig, prompt(2000, 8));
    for (const work of later) work();
    expect(pick(rig, prompt(2000, 8)).matchedBlocks).toBe(8);
  });

  test('what is not written yet does not become that of a pod that comes after', () => {
    const [a, b] = endpointStates(2);
    const rig = pickerRigWith({ later: () => undefined }, schedulerState({ endpoints: [a!] }));
    pick(rig, prompt(1000, 8));
    for (const endpoints of [[], [b!]]) rig.picker.update(gatewayState(schedulerState({ endpoints })));
    expect(pick(rig, prompt(1000, 8)).matchedBlocks).toBe(0);
  });
});

describe('the sample of first tokens', () => {
  test('is at most one in eight picks of a pod', () => {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(1) }));
    const sampled = Array.from({ length: 80 }, () => {
      rig.now += 1000;
      return pick(rig).sampleFirstToken === true;
    });
    expect(sampled.filter(Boolean)).toHaveLength(10);
  });

  test('is at most one a second of a pod, however many picks', () => {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(1) }));
    let count = 0;
    for (let i = 0; i < 1000; i++) {
      rig.now += 3;
      const { ticket, sampleFirstToken } = pick(rig);
      if (sampleFirstToken === true) count += 1;
      ticket.done(200);
    }
    expect(count).toBe(3);
  });

  test('one that came sooner than was thought lets its pod be taken for less busy', () => {
    const state = schedulerState({ endpoints: endpointStates(2), weights: { ...NO_WEIGHTS, predictedLatency: 1 } });
    const afterFirstTokens = (tell: boolean) => {
      const rig = pickerRig(state);
      const long = pick(rig, { promptBytes: 200_000 });
      pick(rig, { promptBytes: 100_000 });
      rig.now += 100;
      if (tell) long.ticket.firstToken();
      return pick(rig).endpoints[0] === long.endpoints[0];
    };
    expect([afterFirstTokens(false), afterFirstTokens(true)]).toEqual([false, true]);
  });

  test('one that comes after the end of its request does nothing', () => {
    const rig = pickerRig(schedulerState());
    const { ticket } = pick(rig);
    ticket.done(200);
    ticket.firstToken();
    expect(inFlight(rig)).toEqual([0, 0, 0, 0]);
  });
});

test('closing stops reading metrics, and tickets that are out can still be used', async () => {
  const rig = pickerRig(schedulerState());
  const { ticket } = pick(rig);
  await rig.picker.close();
  expect(rig.metrics.targets.size).toBe(0);
  ticket.served('10.0.0.1:8000');
  ticket.done(200);
});
