import { type CompleteWeights, schedulerWeights } from '../../../../lib/api/inference-gateway-config/scorer-weights';
import { seededRandom } from '../../../../runtime/simulator/engine/seeded-random';
import { type SearchOptions, searchWeights } from '../../../../runtime/simulator/tune/search-weights';

const START = schedulerWeights({ weights: { queue: 2, kvCache: 2, prefix: 3 } });
const IDEAL = { queue: 0, kvCache: 6, prefix: 3 };
/** Lowest at `IDEAL`, in every direction. */
const bowl = (weights: CompleteWeights) =>
  Object.entries(IDEAL).reduce((sum, [name, ideal]) => sum + Math.abs(weights[name as 'queue'] - ideal), 0);

const search = (options: Partial<SearchOptions>) => [
  ...searchWeights({
    start: START,
    names: ['queue', 'kvCache', 'prefix'],
    evaluate: bowl,
    trials: 100,
    random: seededRandom(1),
    ...options,
  }),
];

test('finds the best weights and ends by itself', () => {
  const steps = search({});
  expect(steps.at(-1)!.best).toMatchObject(IDEAL);
  expect(steps.at(-1)!.trial).toBeLessThan(40);
});

test('no weights are tried twice, and none that are all 0', () => {
  const seen: string[] = [];
  search({
    evaluate: (weights) => {
      seen.push(JSON.stringify(weights));
      return Object.values(weights).reduce((sum, weight) => sum + weight);
    },
  });
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).not.toContain(JSON.stringify({ ...START, queue: 0, kvCache: 0, prefix: 0 }));
});

test('tries no more than it may, and only the weights named', () => {
  const steps = search({ trials: 5, names: ['prefix'], evaluate: ({ prefix }) => -prefix });
  expect(steps.map(({ trial }) => trial)).toEqual([1, 2, 3, 4, 5]);
  expect(steps.at(-1)!.best).toEqual({ ...START, prefix: 12 });
  expect(search({ trials: 1 })).toEqual([{ trial: 1, best: START }]);
});

test('a gain that may be chance leaves the weights as they were', () => {
  expect(search({ evaluate: ({ prefix }) => -prefix / 10_000 }).at(-1)!.best).toBe(START);
});
