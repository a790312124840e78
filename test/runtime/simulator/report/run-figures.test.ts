import type { RunResult } from '../../../../runtime/simulator/fleet/run-result';
import { figuresOf } from '../../../../runtime/simulator/report/run-figures';

const RESULT: RunResult = {
  requests: 104,
  refused: 2,
  errors: 1,
  firstTokenSeconds: Float64Array.from({ length: 101 }, (_, index) => index),
  interTokenMeanSeconds: 0.02,
  outputTokensPerSecond: 500,
  goodputPerSecond: 3,
  prefixHitRate: 0.5,
  preemptions: 4,
  requestsByPod: [50, 51],
  bands: new Map(),
};

test('percentiles are of the answered requests, and refusals count as failed', () => {
  expect(figuresOf(RESULT)).toEqual({
    firstToken: { p50: 50, p90: 90, p95: 95, p99: 99 },
    interTokenMeanSeconds: 0.02,
    outputTokensPerSecond: 500,
    goodputPerSecond: 3,
    prefixHitRate: 0.5,
    requests: 104,
    failed: 3,
    preemptions: 4,
  });
});

test('what a run without answers cannot tell is null, never NaN', () => {
  const none = {
    ...RESULT,
    firstTokenSeconds: new Float64Array(),
    interTokenMeanSeconds: Number.NaN,
    prefixHitRate: Number.NaN,
  };
  expect(figuresOf(none)).toMatchObject({
    firstToken: { p50: null, p90: null, p95: null, p99: null },
    interTokenMeanSeconds: null,
    prefixHitRate: null,
  });
});

test('bands are told, the most important first, unless all requests are Standard', () => {
  const band = {
    requests: 4,
    refused: 1,
    expired: 1,
    errors: 0,
    firstTokenSeconds: Float64Array.of(1, 3),
    goodputPerSecond: 0.5,
  };
  const bands = figuresOf({
    ...RESULT,
    bands: new Map([
      ['sheddable', band],
      ['critical', band],
    ] as const),
  }).bands;
  const told = { p50: 2, p95: 2.9, p99: 2.98, requests: 4, refused: 1, expired: 1, errors: 0, goodputPerSecond: 0.5 };
  expect(bands).toEqual([
    { band: 'critical', ...told },
    { band: 'sheddable', ...told },
  ]);
  expect('bands' in figuresOf({ ...RESULT, bands: new Map([['standard', band]] as const) })).toBe(false);
});
