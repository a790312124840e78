import { decisionTime, readDecisionHistogram } from './decision-time';

const page = (counts: readonly number[], sum: number) =>
  [0.0001, 0.0002, '+Inf']
    .map((le, i) => `inference_extension_scheduler_e2e_duration_seconds_bucket{le="${le}",scheduler="a"} ${counts[i]}`)
    .concat(
      `inference_extension_scheduler_e2e_duration_seconds_sum{scheduler="a"} ${sum}`,
      `inference_extension_scheduler_e2e_duration_seconds_count{scheduler="a"} ${counts.at(-1)}`,
      'another_metric{le="0.1"} 9',
    )
    .join('\n');

test('only the decisions between the two readings count', () => {
  const before = readDecisionHistogram(page([100, 100, 100], 9))!;
  const after = readDecisionHistogram(page([101, 104, 104], 9.0006))!;
  const time = decisionTime(before, after)!;
  // Of four, one is in the first bucket and three in the second: the second of them is a third into the second.
  expect(time.p50Micros).toBeCloseTo(133.3, 1);
  expect(time.meanMicros).toBeCloseTo(150);
});

test('series of several schedulers are added up', () => {
  const both = `${page([1, 2, 3], 1)}\n${page([10, 20, 30], 2).replaceAll('"a"', '"b"')}`;
  expect(readDecisionHistogram(both)).toEqual({
    buckets: [
      { bound: 0.0001, count: 11 },
      { bound: 0.0002, count: 22 },
      { bound: Number.POSITIVE_INFINITY, count: 33 },
    ],
    sum: 3,
    count: 33,
  });
});

test('a page without the metric has no histogram', () => {
  expect(readDecisionHistogram('up 1\n')).toBeUndefined();
});
