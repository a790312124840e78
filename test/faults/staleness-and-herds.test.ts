import {
  endpointStates,
  engineMetrics,
  gatewayState,
  type PickerRig,
  pickerRig,
  schedulerState,
} from '../runtime/endpoint-picker/support/fixtures';
import { ADDRESS, inFlight, PODS, pick, picksByPod, prompt } from '../runtime/endpoint-picker/support/picks';

const [FROZEN, ...WORKING] = PODS;

describe('a pod that froze when it was idle', () => {
  function rigWithFrozen(): PickerRig {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(engineMetrics());
    rig.now += 2_500;
    for (const pod of WORKING) rig.metrics.tell(pod, engineMetrics({ waiting: 20, running: 60, kvUsage: 0.7 }));
    return rig;
  }

  test('attracts no request by its old numbers, not even as a fallback', () => {
    const rig = rigWithFrozen();
    for (let i = 0; i < 30; i++) expect(pick(rig).endpoints).not.toContain(ADDRESS.get(FROZEN));
  });

  test('is used again when it is all that there is', () => {
    const rig = rigWithFrozen();
    rig.picker.update(gatewayState(schedulerState({ endpoints: endpointStates(1) })));
    expect(pick(rig).endpoints).toEqual([ADDRESS.get(FROZEN)]);
  });

  test('is preferred to no pod by a request that may go nowhere else', () => {
    const address = ADDRESS.get(FROZEN)!;
    expect(pick(rigWithFrozen(), { subset: [address] }).endpoints).toEqual([address]);
  });
});

test('a burst between two scrapes goes to the least loaded pod only until it is as loaded as the others', () => {
  const rig = pickerRig(schedulerState());
  rig.metrics.tellAll(engineMetrics({ waiting: 4, running: 16, kvUsage: 0.4 }));
  rig.metrics.tell(PODS[2], engineMetrics());
  const counts = picksByPod(rig, 60);
  expect(counts[2]).toBe(Math.max(...counts));
  expect(counts.filter((count) => count > 0)).toHaveLength(4);
  expect(counts[2]).toBeLessThan(50);
});

test('numbers that every scrape repeats unchanged do not gather the requests of a second on one pod', () => {
  const rig = pickerRig(schedulerState());
  for (let scrape = 0; scrape < 5; scrape++) {
    rig.metrics.tellAll(engineMetrics({ waiting: 2, running: 8, kvUsage: 0.3 }));
    rig.metrics.tell(PODS[1], engineMetrics({ waiting: 1, running: 8, kvUsage: 0.3 }));
    picksByPod(rig, 20);
    rig.now += 200;
  }
  const most = Math.max(...inFlight(rig));
  expect(most - Math.min(...inFlight(rig))).toBeLessThanOrEqual(4);
});

test('a short prompt that one pod holds whole does not draw a burst of it there', () => {
  const rig = pickerRig(schedulerState());
  rig.metrics.tellAll(engineMetrics());
  pick(rig, prompt(1000, 1)).ticket.done(200);
  expect(Math.max(...picksByPod(rig, 40, prompt(1000, 1)))).toBeLessThanOrEqual(12);
});

test('neither scrapes, nor faults of scrapes, nor readiness touch the count of requests in flight', () => {
  const rig = pickerRig(schedulerState());
  rig.metrics.tellAll(engineMetrics());
  picksByPod(rig, 8);
  expect(inFlight(rig)).toEqual([2, 2, 2, 2]);
  const target = rig.metrics.targets.get(PODS[0])!;
  rig.metrics.tell(PODS[0], engineMetrics());
  for (const how of ['refused', 'timeout', 'connection', 'status', 'too-large'] as const) {
    target.sent();
    target.failed(how);
    rig.now += 300;
  }
  rig.metrics.tell(PODS[0], 'no-metrics');
  for (const ready of [false, true]) {
    const endpoints = endpointStates(4).map((endpoint, i) => (i === 0 ? { ...endpoint, ready } : endpoint));
    rig.picker.update(gatewayState(schedulerState({ endpoints })));
  }
  expect(inFlight(rig)).toEqual([2, 2, 2, 2]);
});

test('a request that ended makes its pod less loaded at once, without a scrape', () => {
  const rig = pickerRig(schedulerState({ endpoints: endpointStates(2) }));
  rig.metrics.tellAll(engineMetrics());
  const sent = Array.from({ length: 20 }, () => pick(rig));
  const gone = sent.filter(({ endpoints }) => endpoints[0] === ADDRESS.get(PODS[1]));
  for (const { ticket } of gone) ticket.done(200);
  expect(gone).toHaveLength(10);
  expect(picksByPod(rig, 8)).toEqual([0, 8]);
});

test('a pod that comes late or turns ready gets requests by the state alone', () => {
  const rig = pickerRig(schedulerState({ endpoints: endpointStates(1) }));
  rig.metrics.tellAll(engineMetrics());
  picksByPod(rig, 4);
  const late = endpointStates(2).map((endpoint, i) => ({ ...endpoint, ready: i === 0 }));
  rig.picker.update(gatewayState(schedulerState({ endpoints: late })));
  rig.metrics.tellAll(engineMetrics());
  expect(picksByPod(rig, 2)).toEqual([2, 0]);
  rig.picker.update(gatewayState(schedulerState({ endpoints: endpointStates(2) })));
  rig.metrics.tellAll(engineMetrics());
  rig.now += 10;
  expect(pick(rig).endpoints[0]).toBe(ADDRESS.get(PODS[1]));
});

test('the address that serves is the address whose metrics are read, port included', () => {
  const rig = pickerRig(schedulerState());
  expect([...rig.metrics.targets.values()].map(({ address }) => address)).toEqual([...ADDRESS.values()]);
});
