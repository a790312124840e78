import fc from 'fast-check';
import type { PickedEndpoints, PickRequest, PickResult } from '../../../runtime/endpoint-picker/endpoint-picker';
import {
  DEFAULT_WEIGHTS,
  endpointStates,
  engineMetrics,
  gatewayState,
  type PickerRig,
  pickerRig,
  pickRequest,
  schedulerState,
} from './support/fixtures';

const [POD_0, POD_1, POD_2, POD_3] = ['models/llama-0', 'models/llama-1', 'models/llama-2', 'models/llama-3'] as const;
const ADDRESS = new Map(endpointStates(4).map(({ pod, address }) => [pod, address]));

function picked(result: PickResult): PickedEndpoints {
  if (result.outcome !== 'picked') throw new Error(`refused: ${result.outcome}`);
  return result;
}

function pick(rig: PickerRig, change: Partial<PickRequest> = {}): PickedEndpoints {
  return picked(rig.picker.pick(pickRequest(change)));
}

/** How often each pod was the choice in `count` picks. */
function picksByPod(rig: PickerRig, count: number, change: Partial<PickRequest> = {}): number[] {
  const counts = new Map<string, number>([...ADDRESS.values()].map((address) => [address, 0]));
  for (let i = 0; i < count; i++) {
    const [address] = pick(rig, change).endpoints;
    counts.set(address!, counts.get(address!)! + 1);
  }
  return [...counts.values()];
}

function inFlight(rig: PickerRig): number[] {
  return rig.picker.status()[0]!.pods.map((pod) => pod.inFlight);
}

function prompt(first: number, blocks = 64): Partial<PickRequest> {
  return { promptBytes: blocks * 256, prefixHashes: Array.from({ length: blocks }, (_, i) => first + i) };
}

describe('the choice', () => {
  test('a burst between two scrapes is spread evenly over equal pods', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(engineMetrics({ running: 3, kvUsage: 0.2 }));
    for (const count of picksByPod(rig, 100)) expect(Math.abs(count - 25)).toBeLessThanOrEqual(1);
  });

  test('a burst goes on being spread when scrapes do not show it yet', () => {
    const rig = pickerRig(schedulerState());
    const counts = [0, 0, 0, 0];
    for (let round = 0; round < 10; round++) {
      rig.metrics.tellAll(engineMetrics());
      picksByPod(rig, 10).forEach((count, i) => {
        counts[i]! += count;
      });
    }
    for (const count of counts) expect(Math.abs(count - 25)).toBeLessThanOrEqual(1);
  });

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

  test('follows the adapter where its weight says so', () => {
    const rig = pickerRig(schedulerState({ weights: { ...DEFAULT_WEIGHTS, queue: 0, kvCache: 0, loraAffinity: 1 } }));
    const adapters = (...names: string[]) => ({
      running: new Set(names),
      waiting: new Set<string>(),
      distinct: names.length,
      slots: 2,
    });
    rig.metrics.tellAll(engineMetrics({ adapters: adapters('other') }));
    rig.metrics.tell(POD_2, engineMetrics({ adapters: adapters('sql') }));
    expect(pick(rig, { adapter: 'sql' }).endpoints[0]).toBe(ADDRESS.get(POD_2));
  });

  test('an adapter goes back to the pod that has it loaded, though nothing of it runs there', () => {
    const rig = pickerRig(schedulerState({ weights: { ...DEFAULT_WEIGHTS, loraAffinity: 1 } }));
    const none = { running: new Set<string>(), waiting: new Set<string>(), distinct: 0, slots: 2 };
    rig.metrics.tellAll(engineMetrics({ adapters: none }));
    const first = pick(rig, { adapter: 'sql' });
    first.ticket.done(200);
    rig.metrics.tellAll(engineMetrics({ adapters: none }));
    for (let i = 0; i < 10; i++) {
      const again = pick(rig, { adapter: 'sql' });
      expect(again.endpoints[0]).toBe(first.endpoints[0]);
      again.ticket.done(200);
    }
  });

  test('is explained when that is asked for, and only then', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(engineMetrics());
    expect(pick(rig, { explain: true }).explanation).toMatch(
      /^llama-\d 4\.00 \(queue 1\.00 kvCache 1\.00 prefix 0\.00\) = /,
    );
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
  const state = gatewayState(schedulerState({ weights: { ...DEFAULT_WEIGHTS, lru: 1, runningRequests: 1 } }));
  const pod = fc.constantFrom(...ADDRESS.keys());
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('pick' as const), first: fc.nat(3) }) },
    fc.record({ kind: fc.constantFrom('done' as const, 'sent' as const, 'refused' as const), pod, which: fc.nat(30) }),
    fc.record({ kind: fc.constant('served' as const), pod, which: fc.nat(30) }),
    fc.record({ kind: fc.constant('answered' as const), pod, waiting: fc.nat(9), running: fc.nat(9) }),
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
          else if (each.kind === 'sent') target!.sent();
          else if (each.kind === 'refused') target!.refused();
          else if (each.kind === 'answered') target!.answered(engineMetrics(each));
          else if (each.kind === 'paced') target!.paced(each.intervalMs);
          else if (each.kind === 'passed') rig.now += each.ms;
          if (each.kind !== 'pick') return undefined;
          if (rig === right) rig.picker.update(state);
          const result = pick(rig, { ...prompt(each.first * 1000, 8), explain: true });
          tickets.push(result.ticket);
          return [result.endpoints, result.explanation];
        });
      });
      expect(outcomes[0]).toEqual(outcomes[1]);
    }),
    { numRuns: 40 },
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
    rig.metrics.targets.get(POD_0)!.refused();
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
    expect(pick(rig, { ...prompt(1000), explain: true }).explanation).toContain('prefix 0.00');
  });
});

describe('saturation', () => {
  /** One pod with a batch of 4, whose queue of `waiting` drains at one request a second. */
  function queueingRig(waiting: number): PickerRig {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(1) }));
    const tickets = Array.from({ length: waiting + 4 + 20 }, () => pick(rig).ticket);
    for (let second = 20; second >= 0; second--) {
      rig.metrics.tellAll(engineMetrics({ waiting: waiting + second, running: 4 }));
      rig.now += 1000;
      if (second > 0) tickets.pop()!.done(200);
    }
    return rig;
  }

  test('below it nothing is shed', () => {
    expect(queueingRig(25).picker.pick(pickRequest()).outcome).toBe('picked');
  });

  test('above it the request is refused until the queue has drained far enough', () => {
    const rig = queueingRig(42);
    const refused = rig.picker.pick(pickRequest());
    expect(refused).toEqual({ outcome: 'saturated', retryAfterSeconds: expect.any(Number) });
    if (refused.outcome === 'picked') throw new Error('picked');
    expect(Math.abs(refused.retryAfterSeconds - 12)).toBeLessThanOrEqual(2);
    expect(inFlight(rig)).toEqual([46]);
    expect(rig.observer.lines.at(-1)).toBe('refused models/llama saturated');
  });

  test('a pool whose drain was never measured sheds nothing, however long its queue', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(engineMetrics({ waiting: 100_000, running: 256 }));
    expect(rig.picker.pick(pickRequest()).outcome).toBe('picked');
  });

  test('a burst on an idle pool that drained slowly before is not shed', () => {
    const rig = queueingRig(25);
    rig.metrics.tellAll(engineMetrics());
    for (let i = 0; i < 500; i++) expect(rig.picker.pick(pickRequest()).outcome).toBe('picked');
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
