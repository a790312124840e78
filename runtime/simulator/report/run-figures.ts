import { BANDS, type Band } from '../../../lib/translate/gateway-state';
import type { BandResult, RunResult } from '../fleet/run-result';
import { quantile } from './quantile';

/** What is kept of one run; it may cross a process boundary and lie in a file. Null: not to be computed (no answers). */
export interface RunFigures {
  /** Times to first token of answered requests, seconds. */
  readonly firstToken: {
    readonly p50: number | null;
    readonly p90: number | null;
    readonly p95: number | null;
    readonly p99: number | null;
  };
  readonly interTokenMeanSeconds: number | null;
  readonly outputTokensPerSecond: number | null;
  readonly goodputPerSecond: number | null;
  readonly prefixHitRate: number | null;
  readonly requests: number;
  /** Refused by the policy, lost with their pod, or rejected by the engine. */
  readonly failed: number;
  readonly preemptions: number;
  /** Of the bands that requests came in, the most important first; absent where all were Standard. */
  readonly bands?: readonly BandFigures[];
}

/** What is kept of one band of a run. */
export interface BandFigures {
  readonly band: Band;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly goodputPerSecond: number | null;
  readonly requests: number;
  /** At once, and after a wait. */
  readonly refused: number;
  readonly expired: number;
  readonly errors: number;
}

export function figuresOf(result: RunResult): RunFigures {
  const sorted = result.firstTokenSeconds;
  return {
    firstToken: {
      p50: quantile(sorted, 0.5),
      p90: quantile(sorted, 0.9),
      p95: quantile(sorted, 0.95),
      p99: quantile(sorted, 0.99),
    },
    interTokenMeanSeconds: finite(result.interTokenMeanSeconds),
    outputTokensPerSecond: finite(result.outputTokensPerSecond),
    goodputPerSecond: finite(result.goodputPerSecond),
    prefixHitRate: finite(result.prefixHitRate),
    requests: result.requests,
    failed: result.refused + result.errors,
    preemptions: result.preemptions,
    ...([...result.bands.keys()].some((band) => band !== 'standard') && { bands: bandFigures(result.bands) }),
  };
}

function bandFigures(bands: ReadonlyMap<Band, BandResult>): BandFigures[] {
  return BANDS.flatMap((band) => {
    const result = bands.get(band);
    if (result === undefined) return [];
    const { firstTokenSeconds: sorted, requests, refused, expired, errors } = result;
    return {
      band,
      p50: quantile(sorted, 0.5),
      p95: quantile(sorted, 0.95),
      p99: quantile(sorted, 0.99),
      goodputPerSecond: finite(result.goodputPerSecond),
      requests,
      refused,
      expired,
      errors,
    };
  });
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
