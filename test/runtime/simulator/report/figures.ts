import type { BandFigures, RunFigures } from '../../../../runtime/simulator/report/run-figures';

/** Figures of a run whose P95 is `p95`; P50 is half of it, P99 double. */
export function figures(p95: number, others: Partial<RunFigures> = {}): RunFigures {
  return {
    firstToken: { p50: p95 / 2, p90: p95 * 0.9, p95, p99: p95 * 2 },
    interTokenMeanSeconds: 0.02,
    outputTokensPerSecond: 1000,
    goodputPerSecond: 9,
    prefixHitRate: 0.25,
    requests: 100,
    failed: 0,
    preemptions: 0,
    ...others,
  };
}

/** Figures of a run in which no request was answered. */
export const UNANSWERED: RunFigures = figures(1, {
  firstToken: { p50: null, p90: null, p95: null, p99: null },
  interTokenMeanSeconds: null,
  outputTokensPerSecond: null,
  goodputPerSecond: 0,
  prefixHitRate: null,
  failed: 100,
});

/** Figures of a band whose P95 is `p95`. */
export function bandFigures(band: BandFigures['band'], p95: number): BandFigures {
  const counts = { requests: 100, refused: 5, expired: 20, errors: 0 };
  return { band, p50: p95 / 2, p95, p99: p95 * 2, goodputPerSecond: 3, ...counts };
}
