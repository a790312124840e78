import fc from 'fast-check';
import { createNextPod } from '../../../../runtime/simulator/fleet/next-pod';

test('is the first pod of the lowest time after any changes', () => {
  const change = fc.record({
    pod: fc.nat(),
    time: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(Number.POSITIVE_INFINITY)),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(change, { maxLength: 60 }), (pods, changes) => {
      const next = createNextPod(pods);
      const times = new Array<number>(pods).fill(Number.POSITIVE_INFINITY);
      for (const { pod, time } of changes) {
        times[pod % pods] = time;
        next.set(pod % pods, time);
        const least = Math.min(...times);
        expect([next.pod, next.time]).toEqual([times.indexOf(least), least]);
      }
    }),
  );
});

test('no pod has an event at first', () => {
  expect(createNextPod(3).time).toBe(Number.POSITIVE_INFINITY);
});
