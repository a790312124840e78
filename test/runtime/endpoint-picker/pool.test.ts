import { SCHEDULER_PROFILES } from '../../../lib/api/inference-gateway-config/scorer-weights';
import {
  DEFAULT_WEIGHTS,
  endpointStates,
  engineCounters,
  engineMetrics,
  gatewayState,
  NO_WEIGHTS,
  type PickerRig,
  pickerRig,
  pickRequest,
  residency,
  schedulerState,
} from './support/fixtures';
import { ADDRESS, inFlight, PODS, pick, picksByPod, prompt } from './support/picks';

const [POD_0, POD_1, POD_2, POD_3] = PODS;

function spread(counts: readonly number[]): number {
  return Math.max(...counts) - Math.min(...counts);
}

describe('no herd', () => {
  const cases = Object.entries(SCHEDULER_PROFILES).flatMap(([name, weights]) =>
    [2, 3, 4, 7, 10].map((pods) => ({ name, weights, pods })),
  );

  test.each(cases)('$name, $pods equal pods: a burst between two scrapes is spread within one', ({ weights, pods }) => {
    const rig = pickerRig(schedulerState({ weights, endpoints: endpointStates(pods) }));
    rig.metrics.tellAll(engineMetrics({ running: 3, kvUsage: 0.2 }));
    expect(spread(picksByPod(rig, 100))).toBeLessThanOrEqual(1);
  });

  test.each(cases)('$name, $pods equal pods: so it is while no metrics come', ({ weights, pods }) => {
    const rig = pickerRig(schedulerState({ weights, endpoints: endpointStates(pods) }));
    rig.metrics.tellAll(engineMetrics({ running: 3, kvUsage: 0.2 }));
    rig.now += 60_000;
    expect(spread(picksByPod(rig, 100))).toBeLessThanOrEqual(1);
  });

  test('a burst goes on being spread when scrapes do not show it yet', () => {
    const rig = pickerRig(schedulerState());
    for (let round = 0; round < 10; round++) {
      rig.metrics.tellAll(engineMetrics());
      picksByPod(rig, 10);
    }
    expect(spread(inFlight(rig))).toBeLessThanOrEqual(1);
  });
});

describe('a weight of 0 switches its signal off', () => {
  const every = { ...DEFAULT_WEIGHTS };
  const noPrefix = { ...DEFAULT_WEIGHTS, prefix: 0, lru: 0 };
  const reweighed = (rig: PickerRig, weights: typeof every) =>
    rig.picker.update(gatewayState(schedulerState({ weights })));

  test('prefix: the index is not read', () => {
    const rig = pickerRig(schedulerState({ weights: every }));
    pick(rig, prompt(1000)).ticket.done(200);
    reweighed(rig, noPrefix);
    expect(spread(picksByPod(rig, 8, prompt(1000)))).toBe(0);
    expect(pick(rig, prompt(1000)).matchedBlocks).toBe(0);
  });

  test('prefix: the index is not written', () => {
    const rig = pickerRig(schedulerState({ weights: noPrefix }));
    for (let i = 0; i < 4; i++) pick(rig, prompt(1000)).ticket.done(200);
    reweighed(rig, every);
    expect(pick(rig, prompt(1000)).matchedBlocks).toBe(0);
  });

  test('loraAffinity: it does not matter where an adapter is', () => {
    const rig = pickerRig(schedulerState({ weights: { ...every, loraAffinity: 0 } }));
    rig.metrics.tellAll(engineMetrics({ adapters: residency(['other'], 1) }));
    rig.metrics.tell(POD_2, engineMetrics({ adapters: residency(['sql'], 1) }));
    expect(spread(picksByPod(rig, 8, { adapter: 'sql' }))).toBe(0);
  });
});

describe('adapters', () => {
  const holding = (...names: string[]) => engineMetrics({ adapters: residency(names, 2) });

  test('the pod where it is loaded is first', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(holding('other'));
    rig.metrics.tell(POD_2, holding('sql'));
    expect(pick(rig, { adapter: 'sql' }).endpoints[0]).toBe(ADDRESS.get(POD_2));
  });

  test('where it is nowhere, the pod with a free slot', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(holding('a', 'b'));
    rig.metrics.tell(POD_3, holding('a'));
    expect(pick(rig, { adapter: 'sql' }).endpoints[0]).toBe(ADDRESS.get(POD_3));
  });

  test('where no metrics tell, the pod that it was sent to before', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll('no-metrics');
    const first = pick(rig, { adapter: 'sql' });
    for (let i = 0; i < 6; i++) {
      const again = pick(rig, { adapter: 'sql' });
      expect(again.endpoints[0]).toBe(first.endpoints[0]);
      again.ticket.done(200);
    }
  });

  test('it stays where it is loaded though nothing of it runs there', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(holding());
    const first = pick(rig, { adapter: 'sql' });
    first.ticket.done(200);
    for (let i = 0; i < 10; i++) {
      rig.metrics.tellAll(holding());
      const again = pick(rig, { adapter: 'sql' });
      expect(again.endpoints[0]).toBe(first.endpoints[0]);
      again.ticket.done(200);
    }
  });

  test('two adapters on two pods of one slot each never thrash, in whatever order they are asked for', () => {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(2) }));
    const places = { a: new Set<string>(), b: new Set<string>() };
    for (let i = 0; i < 60; i++) {
      rig.metrics.tellAll(engineMetrics({ adapters: residency([], 1) }));
      const adapter = (i * 7) % 5 < 2 ? 'a' : 'b';
      const { endpoints, ticket } = pick(rig, { adapter });
      places[adapter].add(endpoints[0]!);
      rig.now += 300;
      ticket.done(200);
    }
    expect([places.a.size, places.b.size]).toEqual([1, 1]);
    expect([...places.a]).not.toEqual([...places.b]);
  });

  test('a hot one is waited for some seconds, and then it gets a second pod', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(engineMetrics({ adapters: residency(['other'], 1) }));
    rig.metrics.tell(POD_0, engineMetrics({ adapters: residency(['sql'], 1) }));
    // A quarter of a second of prefill each.
    const request = { adapter: 'sql', promptBytes: 8000 };
    let waited = 0;
    while (pick(rig, request).endpoints[0] === ADDRESS.get(POD_0)) waited += 0.25;
    expect(waited).toBeGreaterThan(1);
    expect(waited).toBeLessThan(6);
  });

  test('of more adapters than a row has bits, each is found all the same', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(engineMetrics({ adapters: residency([], 64) }));
    rig.metrics.tell(
      POD_1,
      engineMetrics({
        adapters: residency(
          Array.from({ length: 40 }, (_, i) => `a${i}`),
          64,
        ),
      }),
    );
    for (let i = 0; i < 40; i++) {
      const { endpoints, ticket } = pick(rig, { adapter: `a${i}` });
      expect(endpoints[0]).toBe(ADDRESS.get(POD_1));
      ticket.done(200);
    }
  });
});

/** Keeps every pod busy for `seconds`, while their engines count steps of the times given. */
function workFor(rig: PickerRig, seconds: number, stepSeconds: readonly number[], totals: number[]): void {
  const tickets = stepSeconds.map((_, i) => {
    const { ticket } = pick(rig);
    ticket.served([...ADDRESS.values()][i]!);
    return ticket;
  });
  for (let i = 0; i < seconds; i++) {
    rig.now += 1000;
    stepSeconds.forEach((step, pod) => {
      const steps = Math.round(1 / step);
      totals[pod]! += steps;
      const counters = engineCounters({ steps: totals[pod]!, generatedTokens: totals[pod]!, promptTokens: 0 });
      rig.metrics.tell(PODS[pod]!, engineMetrics({ running: 1, counters }));
    });
  }
  for (const ticket of tickets) ticket.done(200);
}

describe('learned speed', () => {
  const FAST_AND_SLOW = [0.01, 0.01, 0.06, 0.06];
  const slowShare = (rig: PickerRig) => {
    const counts = picksByPod(rig, 60);
    return (counts[2]! + counts[3]!) / 60;
  };

  test('shifts shares to the faster pods, which no label names', () => {
    const rig = pickerRig(schedulerState());
    workFor(rig, 12, FAST_AND_SLOW, [0, 0, 0, 0]);
    rig.metrics.tellAll(engineMetrics());
    rig.now += 1000;
    expect(slowShare(rig)).toBeLessThan(0.25);
  });

  test('an engine that has restarted, its counters at 0 again, does no harm', () => {
    const totals = [0, 0, 0, 0];
    const rig = pickerRig(schedulerState());
    workFor(rig, 12, FAST_AND_SLOW, totals);
    totals.fill(0);
    workFor(rig, 5, FAST_AND_SLOW, totals);
    rig.metrics.tellAll(engineMetrics());
    rig.now += 1000;
    expect(slowShare(rig)).toBeLessThan(0.25);
  });
});

test('tokens that were sent since the last scrape take their room in the KV cache', () => {
  const weights = { ...NO_WEIGHTS, kvCache: 1 };
  const rig = pickerRig(schedulerState({ endpoints: endpointStates(2), weights }));
  rig.metrics.tell(POD_0, engineMetrics({ kvUsage: 0.2, kvCapacityTokens: 100_000 }));
  rig.metrics.tell(POD_1, engineMetrics({ kvUsage: 0.3, kvCapacityTokens: 100_000 }));
  const long = { promptBytes: 4 * 50_000 };
  expect([pick(rig, long), pick(rig)].map(({ endpoints }) => endpoints[0])).toEqual([
    ADDRESS.get(POD_0),
    ADDRESS.get(POD_1),
  ]);
});

test('pressure on the KV cache keeps a prefix where it is', () => {
  const copiedAfter = (kvUsage: number) => {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(2) }));
    const metrics = engineMetrics({ running: 20, kvUsage });
    rig.metrics.tellAll(metrics);
    const holder = pick(rig, prompt(1000, 8));
    holder.ticket.done(200);
    // Requests end at some rate.
    for (let i = 0; i < 10; i++) {
      const { ticket } = pick(rig);
      const other = pick(rig).ticket;
      rig.now += 1000;
      ticket.done(200);
      other.done(200);
      rig.metrics.tellAll(metrics);
    }
    let picks = 0;
    while (picks < 60 && pick(rig, prompt(1000, 8)).endpoints[0] === holder.endpoints[0]) picks += 1;
    return picks;
  };
  expect(copiedAfter(0.2)).toBeLessThan(60);
  expect(copiedAfter(0.95)).toBe(60);
});

describe('saturation', () => {
  /** One pod with a batch of 4 and a full KV cache, whose queue of `waiting` drains at one request a second. */
  function queueingRig(waiting: number): PickerRig {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(1) }));
    const tickets = Array.from({ length: waiting + 4 + 20 }, () => pick(rig).ticket);
    for (let second = 20; second >= 0; second--) {
      rig.metrics.tellAll(engineMetrics({ waiting: waiting + second, running: 4, kvUsage: 0.95 }));
      rig.now += 1000;
      if (second > 0) tickets.pop()!.done(200);
    }
    return rig;
  }

  test('below it nothing is shed', () => {
    expect(queueingRig(15).picker.pick(pickRequest()).outcome).toBe('picked');
  });

  test('above it the request is refused until the queue has drained far enough', () => {
    const rig = queueingRig(42);
    const refused = rig.picker.pick(pickRequest());
    expect(refused).toEqual({ outcome: 'saturated', retryAfterSeconds: expect.any(Number) });
    if (refused.outcome === 'picked') throw new Error('picked');
    expect(refused.retryAfterSeconds).toBeGreaterThanOrEqual(10);
    expect(inFlight(rig)).toEqual([46]);
    expect(rig.observer.lines.at(-1)).toBe('refused models/llama saturated');
  });

  test('weighs by when a request would start: prompts that take more than the queue time are too many', () => {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(2) }));
    rig.metrics.tellAll(engineMetrics());
    // Four seconds of prefill each, 30 s of queue on each of two pods.
    const long = { promptBytes: 128_000 };
    let admitted = 0;
    while (rig.picker.pick(pickRequest(long)).outcome === 'picked') admitted += 1;
    expect(admitted).toBe(16);
    rig.now += 10_000;
    expect(rig.picker.pick(pickRequest(long)).outcome).toBe('picked');
  });

  test('a pod whose queue is full does not shed while another can start the request', () => {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(2) }));
    const { ticket, endpoints } = pick(rig, { promptBytes: 2_000_000 });
    expect(pick(rig).endpoints[0]).not.toBe(endpoints[0]);
    ticket.served(endpoints[0]!);
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

  test('others that fill the KV cache while this gateway is idle do not make it shed', () => {
    const rig = pickerRig(schedulerState({ endpoints: endpointStates(1) }));
    const metrics = (kvUsage: number) => engineMetrics({ running: 50, kvUsage });
    for (let i = 0; i < 5; i++) {
      const { ticket } = pick(rig);
      rig.now += 500;
      ticket.done(200);
      rig.metrics.tellAll(metrics(0.5));
    }
    for (let i = 0; i < 300; i++) {
      rig.now += 1000;
      rig.metrics.tellAll(metrics(0.95));
    }
    expect(rig.picker.pick(pickRequest({ promptBytes: 4000 })).outcome).toBe('picked');
  });
});
