import { seededRandom } from '../../../../runtime/simulator/engine/seeded-random';
import { createSimulatedPod, type SimulatedPod } from '../../../../runtime/simulator/fleet/simulated-pod';
import { fleetRequest, smallPod } from './fleet-trial';

function podAt(clock: { now: number }, number = 0, spec = smallPod()): SimulatedPod {
  return createSimulatedPod(number, spec, () => clock.now, seededRandom(1));
}

const live = (fields = {}) => ({ request: fleetRequest(0, fields), ticket: undefined, firstTokenAt: Number.NaN });

test('metrics are those of this moment, between two events too', () => {
  const clock = { now: 0 };
  const pod = podAt(clock);
  pod.submit(0, 1, live({ outputTokens: 50 }));
  pod.advance(0);
  clock.now = 0.105;
  expect(pod.metrics()).toMatchObject({ running: 1, waiting: 0, kvCapacityTokens: 1024 });
  expect(pod.metrics().counters.generatedTokens).toBe(10);
  clock.now = 0.205;
  expect(pod.metrics().counters.generatedTokens).toBe(20);
});

test('metrics name the adapters of requests and the slots there are', () => {
  const clock = { now: 0 };
  const pod = podAt(clock);
  pod.submit(0, 1, live({ adapter: 'a', outputTokens: 50 }));
  pod.advance(0);
  clock.now = 0.6;
  pod.advance(0.6);
  expect(pod.metrics().adapters).toEqual({ running: new Set(['a']), waiting: new Set(), distinct: 1, slots: 2 });
});

test('an engine without adapters tells none', () => {
  expect(podAt({ now: 0 }, 0, smallPod({ maxLora: 0 })).metrics().adapters).toBeUndefined();
});

test('losing a pod hands over its requests and leaves an empty engine without counters', () => {
  const clock = { now: 0 };
  const pod = podAt(clock);
  const [one, two] = [live({ outputTokens: 50 }), live({ outputTokens: 50 })];
  pod.submit(0, 1, one);
  pod.submit(0, 2, two);
  pod.advance(0.1);
  clock.now = 0.1;
  expect(pod.lose()).toEqual([one, two]);
  expect(pod.lose()).toEqual([]);
  expect(pod.nextEventTime()).toBe(Number.POSITIVE_INFINITY);
  expect(pod.metrics()).toMatchObject({ running: 0, kvUsage: 0, counters: { generatedTokens: 0, promptTokens: 0 } });
});

test('a pod that is throttled stays so over a loss', () => {
  const clock = { now: 0 };
  const pod = podAt(clock);
  pod.setSpeed(0.5);
  pod.lose();
  expect(pod.prefillTokensPerSecond).toBe(500);
  pod.submit(0, 1, live({ promptTokens: 100, outputTokens: 1 }));
  expect(pod.advance(10).find(({ type }) => type === 'first-token')?.at).toBeCloseTo(0.2, 9);
});

test('a change of speed holds from this moment on, not from the last event', () => {
  const clock = { now: 0 };
  const pod = podAt(clock);
  pod.submit(0, 1, live({ outputTokens: 101 }));
  pod.advance(0);
  clock.now = 0.505;
  pod.setSpeed(0.5);
  expect(pod.nextEventTime()).toBeGreaterThanOrEqual(0.505);
  expect(pod.advance(10).find(({ type }) => type === 'finished')?.at).toBeCloseTo(0.51 + 50 * 0.02, 6);
});

test('every pod has an address of its own', () => {
  const pods = [0, 1, 255, 256, 70_000].map((number) => podAt({ now: 0 }, number));
  expect(pods.map(({ address }) => address)).toEqual([
    '10.0.0.0:8000',
    '10.0.0.1:8000',
    '10.0.0.255:8000',
    '10.0.1.0:8000',
    '10.1.17.112:8000',
  ]);
});

test('an absent pod is neither ready nor there', () => {
  const pod = podAt({ now: 0 }, 0, smallPod({}, true));
  expect([pod.ready, pod.lost]).toEqual([false, true]);
});
