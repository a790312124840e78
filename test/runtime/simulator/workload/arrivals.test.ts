import { seededRandom } from '../../../../runtime/simulator/engine/seeded-random';
import type { Arrivals } from '../../../../runtime/simulator/scenarios/scenario';
import { createArrivals } from '../../../../runtime/simulator/workload/arrivals';

const BURSTS: Arrivals = {
  process: 'bursts',
  base: 10,
  burst: { from: 20, to: 50 },
  burstSeconds: 10,
  everySeconds: 60,
};

function arrivalsUntil(end: number, arrivals: Arrivals, rate: number): number[] {
  const next = createArrivals(arrivals, rate, { gaps: seededRandom(1), bursts: seededRandom(2) });
  const times: number[] = [];
  for (let at = next(); at < end; at = next()) times.push(at);
  return times;
}

test.each([
  ['poisson', { process: 'poisson' }],
  ['gamma', { process: 'gamma', cv: 3 }],
  ['bursts', BURSTS],
] as const)('%s arrivals keep the mean rate and never go back', (_, arrivals) => {
  const times = arrivalsUntil(6000, arrivals, 14);
  expect(times.length / 6000 / 14).toBeCloseTo(1, 1);
  expect(times.every((at, index) => index === 0 || at >= times[index - 1]!)).toBe(true);
});

test('the last seconds of each period are bursts, between their bounds in proportion to the base', () => {
  const times = arrivalsUntil(6000, BURSTS, 85);
  const rateIn = (from: number, to: number): number =>
    times.filter((at) => at % 60 >= from && at % 60 < to).length / 100 / (to - from);
  // 85 is 6 times the mean of the shape: (10 * 50 + 35 * 10) / 60.
  expect(rateIn(0, 50) / 60).toBeCloseTo(1, 1);
  expect(rateIn(50, 60) / 210).toBeCloseTo(1, 1);
  for (let start = 50; start < 6000; start += 60) {
    const rate = times.filter((at) => at >= start && at < start + 10).length / 10;
    expect(rate).toBeGreaterThan(120 * 0.85);
    expect(rate).toBeLessThan(300 * 1.15);
  }
});

test('a base of nothing leaves only bursts', () => {
  const times = arrivalsUntil(600, { ...BURSTS, base: 0 }, 5);
  expect(times.length).toBeGreaterThan(0);
  expect(times.every((at) => at % 60 >= 50)).toBe(true);
});
