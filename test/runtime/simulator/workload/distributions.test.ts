import { seededRandom } from '../../../../runtime/simulator/engine/seeded-random';
import {
  createGamma,
  createLognormal,
  createNormal,
  createWeightedChoice,
  exponential,
} from '../../../../runtime/simulator/workload/distributions';

const DRAWS = 100_000;

function moments(draw: () => number): { mean: number; cv: number } {
  let sum = 0;
  let squares = 0;
  for (let count = 0; count < DRAWS; count++) {
    const value = draw();
    sum += value;
    squares += value * value;
  }
  const mean = sum / DRAWS;
  return { mean, cv: Math.sqrt(squares / DRAWS - mean * mean) / mean };
}

test('exponential numbers have mean 1 and coefficient of variation 1', () => {
  const random = seededRandom(1);
  const { mean, cv } = moments(() => exponential(random));
  expect(mean).toBeCloseTo(1, 1);
  expect(cv).toBeCloseTo(1, 1);
});

test('normal numbers have mean 0 and deviation 1', () => {
  const normal = createNormal(seededRandom(1));
  const { mean, cv } = moments(() => 1 + normal());
  expect(mean).toBeCloseTo(1, 1);
  expect(cv).toBeCloseTo(1, 1);
});

test.each([0.5, 1.5])('lognormal numbers have the given mean and a coefficient of variation of %d', (expected) => {
  const { mean, cv } = moments(createLognormal(800, expected, seededRandom(1)));
  expect(mean / 800).toBeCloseTo(1, 1);
  expect(cv / expected).toBeCloseTo(1, 1);
});

test.each([0.5, 1, 3])('gamma numbers have mean 1 and a coefficient of variation of %d', (expected) => {
  const { mean, cv } = moments(createGamma(expected, seededRandom(1)));
  expect(mean).toBeCloseTo(1, 1);
  expect(cv / expected).toBeCloseTo(1, 1);
});

test('choices come in proportion to their weights', () => {
  const choose = createWeightedChoice([6, 3, 1], seededRandom(1));
  const counts = [0, 0, 0];
  for (let count = 0; count < DRAWS; count++) counts[choose()]! += 1;
  expect(counts.map((count) => Math.round((count / DRAWS) * 100) / 10)).toEqual([6, 3, 1]);
});
