import { compareTails } from '../../../../runtime/simulator/tune/compare-tails';

const tails = (p95: number[], p99: number[]) => p95.map((value, index) => ({ p95: value, p99: p99[index]! }));

test('changes are those of the pairs, whatever the blocks differ among each other', () => {
  const { p95 } = compareTails(tails([1, 10, 100], [1, 1, 1]), tails([0.5, 5, 50], [1, 1, 1]));
  expect(p95.percent).toBeCloseTo(-50);
  expect([p95.low, p95.high]).toEqual([expect.closeTo(-50), expect.closeTo(-50)]);
  expect([p95.before, p95.after]).toEqual([expect.closeTo(10), expect.closeTo(5)]);
});

const same = [1, 1, 1, 1];
const faster = [0.5, 0.52, 0.48, 0.5];
const scattered = [0.5, 2, 0.6, 1.5];
const slightlyWorse = [0.9, 1.3, 1.2, 0.8];
const slower = [1.5, 1.6, 1.4, 1.5];

test.each([
  ['both are better', faster, faster, true],
  ['one is better and the other may be', faster, scattered, true],
  ['P95 is better and P99 worse', faster, slower, false],
  ['P95 is better and P99 worse on average, if only by chance', faster, slightlyWorse, false],
  ['P99 is better and P95 worse on average, if only by chance', slightlyWorse, faster, true],
  ['P99 is better and P95 worse', slower, faster, false],
  ['both may be better', scattered, scattered, false],
  ['nothing changes', same, same, false],
])('%s', (_, p95, p99, better) => {
  expect(compareTails(tails(same, same), tails(p95, p99)).better).toBe(better);
});
