import type { PickedEndpoints } from '../../../runtime/endpoint-picker/endpoint-picker';
import {
  endpointStates,
  engineMetrics,
  gatewayState,
  NO_WEIGHTS,
  type PickerRig,
  pickerRig,
  pickerRigWith,
  pickRequest,
  schedulerState,
} from './support/fixtures';
import { ADDRESS, PODS, pick, picksByPod } from './support/picks';

const [POD_0, POD_1] = PODS;

function freshRig(count = 4): PickerRig {
  // In turn: what is learned of speeds is not looked at.
  const rig = pickerRig(schedulerState({ endpoints: endpointStates(count), weights: NO_WEIGHTS }));
  rig.metrics.tellAll(engineMetrics());
  return rig;
}

/** Why each pod is excluded, by address. */
function excluded(rig: PickerRig): Readonly<Record<string, string>> {
  const pods = rig.picker.status()[0]!.pods.filter((pod) => pod.excluded !== undefined);
  return Object.fromEntries(pods.map((pod) => [pod.address, pod.excluded!]));
}

/** A request whose first endpoint is `address`; those that are picked before it end at once. */
function pickAt(rig: PickerRig, address: string): PickedEndpoints {
  for (let i = 0; i < 50; i++) {
    const picked = pick(rig);
    if (picked.endpoints[0] === address) return picked;
    picked.ticket.done();
  }
  throw new Error(`nothing goes to ${address}`);
}

const FIRST = ADDRESS.get(POD_0)!;

test('an endpoint before the one that served failed: after two in a row it gets nothing, and the retries are counted', () => {
  const rig = freshRig();
  for (let i = 0; i < 2; i++) {
    const { endpoints, ticket } = pickAt(rig, FIRST);
    ticket.served(endpoints[1]!, 2);
    ticket.done(200);
  }
  expect(excluded(rig)).toEqual({ [FIRST]: 'connection' });
  expect(picksByPod(rig, 9)).toEqual([0, 3, 3, 3]);
  expect(rig.observer.lines.filter((line) => line.startsWith('retried'))).toEqual([
    'retried models/llama 1',
    'retried models/llama 1',
  ]);
});

test('of three attempts the two before the last one failed', () => {
  const rig = freshRig(6);
  const first = pick(rig);
  first.ticket.done();
  for (let i = 0; i < 2; i++) {
    const { endpoints, ticket } = pickAt(rig, first.endpoints[0]!);
    ticket.served(endpoints[2]!, 3);
  }
  expect(Object.keys(excluded(rig))).toContain(first.endpoints[0]);
});

test('an attempt that does not fit the order blames nobody: Envoy knew another set of endpoints', () => {
  const rig = freshRig();
  for (let i = 0; i < 6; i++) {
    const { endpoints, ticket } = pick(rig);
    ticket.served(endpoints[2]!, 2);
    ticket.served(endpoints[1]!);
    ticket.done(200);
  }
  expect(excluded(rig)).toEqual({});
});

test.each([
  ['502', 502, 'connection'],
  ['503', 503, 'connection'],
  ['504', 504, 'no-answer'],
])('two that end with %s of Envoy itself exclude the endpoint', (_, status, reason) => {
  const rig = freshRig();
  for (let i = 0; i < 2; i++) pickAt(rig, FIRST).ticket.done(status);
  expect(excluded(rig)).toEqual({ [FIRST]: reason });
});

test('responses from nobody knows where say nothing against an endpoint, and end its probation', () => {
  const rig = freshRig();
  for (let i = 0; i < 60; i++) {
    const { ticket } = pick(rig);
    ticket.served(undefined);
    ticket.done([502, 503, 504, 500][i % 4]);
  }
  expect(excluded(rig)).toEqual({});

  for (let i = 0; i < 2; i++) pickAt(rig, FIRST).ticket.done(503);
  rig.now += 1000;
  rig.metrics.tellAll(engineMetrics());
  const probe = pickAt(rig, FIRST).ticket;
  probe.served(undefined, 1, 200);
  probe.done(200);
  rig.now += 1000;
  rig.metrics.tellAll(engineMetrics());
  expect(picksByPod(rig, 40)).toEqual([10, 10, 10, 10]);
});

test('errors that one client provokes exclude nobody while answers to others begin well between them', () => {
  const rig = freshRig();
  for (let i = 0; i < 50; i++) {
    const { ticket } = pickAt(rig, FIRST);
    // Of five requests one is a long stream that goes on.
    const status = i % 5 === 0 ? 200 : 500;
    ticket.served(FIRST, 1, status);
    if (status === 500) ticket.done(status);
    else for (let other = 0; other < 3; other++) pick(rig);
  }
  expect(excluded(rig)).toEqual({});
});

test('on probation a pod gets one request, however many from before end or move away meanwhile', () => {
  const rig = freshRig(3);
  const old: PickedEndpoints[] = [];
  for (let i = 0; i < 30; i++) {
    const picked = pick(rig);
    if (picked.endpoints[0] === FIRST) old.push(picked);
    else picked.ticket.served(picked.endpoints[0]!, 1, 200);
  }
  for (const { ticket } of old.splice(0, 2)) ticket.done(504);
  rig.now += 1000;
  rig.metrics.tellAll(engineMetrics());
  expect(picksByPod(rig, 6)[0]).toBe(1);
  for (const [i, { endpoints, ticket }] of old.entries()) {
    if (i % 2 === 0) ticket.done();
    else ticket.served('192.0.2.1:9');
    expect(picksByPod(rig, 6)[0]).toBe(0);
    expect(endpoints[0]).toBe(FIRST);
  }
});

test('clients that go away say nothing against an endpoint', () => {
  const rig = freshRig();
  for (let i = 0; i < 200; i++) pick(rig).ticket.done();
  expect(excluded(rig)).toEqual({});
});

test.each([400, 401, 404, 413, 422, 429, 499, 501, 503])('any number of %i from the server says nothing', (status) => {
  const rig = freshRig();
  for (let i = 0; i < 60; i++) {
    const { endpoints, ticket } = pick(rig);
    ticket.served(endpoints[0]!);
    ticket.done(status);
  }
  expect(excluded(rig)).toEqual({});
});

test('a server whose every answer is 500 gets nothing after five, and one request a second later', () => {
  const rig = freshRig();
  for (let i = 0; i < 5; i++) {
    const { endpoints, ticket } = pickAt(rig, FIRST);
    ticket.served(endpoints[0]!);
    ticket.done(500);
  }
  expect(excluded(rig)).toEqual({ [FIRST]: 'errors' });
  rig.now += 1000;
  rig.metrics.tellAll(engineMetrics());
  expect(picksByPod(rig, 10)[0]).toBe(1);
});

test('a request that makes every server fail takes no more than half of them out', () => {
  const rig = freshRig();
  for (let i = 0; i < 100; i++) {
    const { endpoints, ticket } = pick(rig);
    ticket.served(endpoints[0]!);
    ticket.done(500);
  }
  expect(Object.keys(excluded(rig))).toHaveLength(2);
});

test('a frozen pod, which was idle, gets nothing once a scrape has had no answer', () => {
  const rig = freshRig();
  const target = rig.metrics.targets.get(POD_0)!;
  rig.now += 1000;
  target.sent();
  rig.now += 750;
  target.failed('timeout');
  expect(excluded(rig)).toEqual({ [FIRST]: 'timeout' });
  rig.now += 5000;
  target.answered(engineMetrics());
  expect(excluded(rig)).toEqual({});
});

test('when all are excluded the ready ones are used all the same, and no others', () => {
  const endpoints = endpointStates(4).map((endpoint, i) => ({ ...endpoint, ready: i > 1 }));
  const rig = pickerRig(schedulerState({ endpoints }));
  rig.metrics.tellAll(engineMetrics());
  for (const target of rig.metrics.targets.values()) target.failed('refused');
  expect(picksByPod(rig, 10)).toEqual([0, 0, 5, 5]);
});

test('where no scrape is answered any more, silence says nothing against a pod', () => {
  const rig = freshRig();
  for (const target of rig.metrics.targets.values()) target.sent();
  rig.now += 750;
  for (const pod of [POD_0, POD_1]) rig.metrics.targets.get(pod)!.failed('timeout');
  expect(picksByPod(rig, 8)).toEqual([0, 0, 4, 4]);
  rig.now += 60_000;
  expect(picksByPod(rig, 8)).toEqual([4, 4, 0, 0]);
});

test('but it does where those of others are answered, if only with an error', () => {
  const rig = freshRig();
  rig.metrics.targets.get(POD_0)!.failed('timeout');
  rig.now += 60_000;
  rig.metrics.targets.get(POD_1)!.failed('status');
  expect(picksByPod(rig, 9)).toEqual([0, 3, 3, 3]);
});

test('a pod whose metrics are old is preferred to one that is excluded', () => {
  const rig = freshRig(2);
  rig.now += 60_000;
  rig.metrics.targets.get(POD_0)!.failed('refused');
  expect(picksByPod(rig, 4)).toEqual([0, 4]);
});

describe('a pod that joins, or is ready again', () => {
  function joined(): PickerRig {
    const rig = freshRig(3);
    picksByPod(rig, 30);
    rig.picker.update(gatewayState(schedulerState({ endpoints: endpointStates(4), weights: NO_WEIGHTS })));
    pass(rig, 1);
    return rig;
  }
  /** Seconds, with a scrape in each. */
  function pass(rig: PickerRig, seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      rig.now += 1000;
      rig.metrics.tellAll(engineMetrics());
    }
  }
  const atNew = (rig: PickerRig) => rig.picker.status()[0]!.pods[3]!;

  test('gets one request at first, and its share in ten seconds', () => {
    const rig = joined();
    picksByPod(rig, 6);
    expect(atNew(rig)).toMatchObject({ inFlight: 1, ramping: true });
    pass(rig, 5);
    picksByPod(rig, 20);
    expect(atNew(rig).inFlight).toBeGreaterThan(4);
    expect(atNew(rig).inFlight).toBeLessThan(11);
    pass(rig, 5);
    picksByPod(rig, 40);
    const { pods } = rig.picker.status()[0]!;
    expect(pods.map(({ inFlight }) => inFlight)).toEqual([24, 24, 24, 24]);
    expect(atNew(rig)).not.toHaveProperty('ramping');
  });

  test('has its ramp also where its first metrics come after the time that one takes', () => {
    const rig = freshRig(3);
    picksByPod(rig, 30);
    rig.picker.update(gatewayState(schedulerState({ endpoints: endpointStates(4), weights: NO_WEIGHTS })));
    for (let second = 0; second < 12; second++) {
      rig.now += 1000;
      for (const pod of PODS.slice(0, 3)) rig.metrics.tell(pod, engineMetrics());
      rig.metrics.targets.get(PODS[3])!.failed('status');
      pick(rig).ticket.done();
    }
    rig.metrics.tellAll(engineMetrics());
    expect(picksByPod(rig, 12)[3]).toBe(1);
  });

  test('has a ramp as long as its exclusion, though its metrics were stale for less', () => {
    const rig = freshRig(3);
    picksByPod(rig, 60);
    const target = rig.metrics.targets.get(POD_0)!;
    target.failed('timeout');
    for (let second = 0; second < 8; second++) {
      rig.now += 1000;
      for (const pod of PODS.slice(1, 3)) rig.metrics.tell(pod, engineMetrics());
      target.failed('timeout');
    }
    const ramping = () => {
      rig.metrics.tellAll(engineMetrics());
      pick(rig).ticket.done();
      return rig.picker.status()[0]!.pods[0]!.ramping === true;
    };
    rig.metrics.tell(POD_0, engineMetrics());
    pass(rig, 7);
    rig.now += 999;
    expect(ramping()).toBe(true);
    rig.now += 1;
    expect(ramping()).toBe(false);
  });

  test('gets more sooner than that a request is refused', () => {
    const rig = joined();
    const long = { promptBytes: 128_000 };
    for (let i = 0; i < 3 * 8 + 4; i++) expect(rig.picker.pick(pickRequest(long)).outcome).toBe('picked');
  });

  test('so does one whose metrics were old', () => {
    const rig = freshRig(2);
    for (let i = 0; i < 3; i++) {
      rig.now += 1000;
      rig.metrics.tell(POD_1, engineMetrics());
    }
    picksByPod(rig, 10);
    rig.metrics.tell(POD_0, engineMetrics());
    expect(picksByPod(rig, 10)).toEqual([1, 9]);
  });

  test('a pool that is new has no ramps', () => {
    expect(picksByPod(freshRig(4), 40)).toEqual([10, 10, 10, 10]);
  });
});

test('an exclusion and its end are logged once each, both as warnings', () => {
  const lines: string[] = [];
  const note = (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`);
  const rig = pickerRigWith({ log: { info() {}, warn: note } }, schedulerState());
  rig.metrics.tellAll(engineMetrics());
  const target = rig.metrics.targets.get(POD_1)!;
  for (let i = 0; i < 3; i++) target.failed('refused');
  for (let i = 0; i < 3; i++) target.answered(engineMetrics());
  expect(lines).toEqual([
    `the pod gets no requests for the time being {"pod":"${POD_1}","address":"${ADDRESS.get(POD_1)}","reason":"refused"}`,
    `the pod gets requests again, few at first {"pod":"${POD_1}","address":"${ADDRESS.get(POD_1)}"}`,
  ]);
});
