import { endpointStates, engineMetrics, pickerRig, pickRequest, schedulerState } from './support/fixtures';

test('the status tells of each pod what is known, and leaves out what is not', () => {
  const rig = pickerRig(schedulerState({ endpoints: endpointStates(3) }));
  const adapters = { running: new Set(['b']), waiting: new Set(['a', 'b']), distinct: 2, slots: 4 };
  rig.metrics.tell('models/llama-0', engineMetrics({ waiting: 1, running: 2, kvUsage: 0.75, adapters }));
  rig.metrics.tell('models/llama-1', 'no-metrics');
  rig.picker.pick(pickRequest());
  const [pool] = rig.picker.status();
  expect(pool?.scheduler).toBe('models/llama');
  expect(pool?.pods[0]).toEqual({
    address: '10.0.0.0:8000',
    pod: 'models/llama-0',
    ready: true,
    metrics: 'fresh',
    waiting: 1,
    running: 2,
    kvUsage: 0.75,
    adapters: ['a', 'b'],
    inFlight: 0,
    picks: 0,
  });
  expect(pool?.pods[1]).toEqual({
    address: '10.0.0.1:8000',
    pod: 'models/llama-1',
    ready: true,
    metrics: 'no-metrics',
    inFlight: 1,
    picks: 1,
  });
  expect(pool?.pods[2]).toMatchObject({ metrics: 'never' });
  rig.now += 5000;
  expect(rig.picker.status()[0]!.pods.map((pod) => pod.metrics)).toEqual(['stale', 'stale', 'never']);
});
