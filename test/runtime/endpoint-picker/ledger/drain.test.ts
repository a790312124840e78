import fc from 'fast-check';
import { createDrain, drainPerSecond, observeDrain } from '../../../../runtime/endpoint-picker/ledger/drain';

describe('the measured drain', () => {
  test('is not known before enough requests ended', () => {
    const drain = createDrain();
    observeDrain(drain, 10, 7, 10, 10);
    expect(drainPerSecond(drain)).toBeNaN();
  });

  test('is the rate at which requests end while some wait', () => {
    const drain = createDrain();
    for (let i = 0; i < 50; i++) observeDrain(drain, 0.2, 1, 10, 10);
    expect(drainPerSecond(drain)).toBeCloseTo(5, 1);
  });

  test('follows an endpoint that becomes slower', () => {
    const drain = createDrain();
    for (let i = 0; i < 200; i++) observeDrain(drain, 0.2, 2, 10, 10);
    for (let i = 0; i < 600; i++) observeDrain(drain, 0.2, i % 5 === 0 ? 1 : 0, 10, 10);
    expect(drainPerSecond(drain)).toBeLessThan(1.5);
  });

  test('allows for the requests that came by another way', () => {
    const drain = createDrain();
    for (let i = 0; i < 50; i++) observeDrain(drain, 0.2, 1, 30, 10);
    expect(drainPerSecond(drain)).toBeCloseTo(15, 1);
  });

  test('is never negative nor infinite', () => {
    const interval = fc.tuple(fc.double({ min: -1, max: 5, noNaN: true }), fc.nat(50), fc.nat(500), fc.nat(500));
    fc.assert(
      fc.property(fc.array(interval), (intervals) => {
        const drain = createDrain();
        for (const [seconds, ended, present, known] of intervals) observeDrain(drain, seconds, ended, present, known);
        const rate = drainPerSecond(drain);
        expect(Number.isNaN(rate) || (rate >= 0 && rate < Number.POSITIVE_INFINITY)).toBe(true);
      }),
    );
  });
});
