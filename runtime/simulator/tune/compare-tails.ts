import { estimate } from '../report/interval';
import type { Tail } from './block-tail';

/** Change of a quantile over blocks, in per cent of what it was: negative is better. */
export interface Change {
  /** Geometric means over blocks, seconds. */
  readonly before: number;
  readonly after: number;
  readonly percent: number;
  /** Ends of the 95 % interval. */
  readonly low: number;
  readonly high: number;
}

export interface Comparison {
  readonly p95: Change;
  readonly p99: Change;
  /** One of the two is better beyond chance, P95 is not worse beyond chance, and P99 is no worse on average. */
  readonly better: boolean;
}

/** Compares two sets of weights on the same blocks, pair by pair; at least two. */
export function compareTails(before: readonly Tail[], after: readonly Tail[]): Comparison {
  const p95 = change(
    before.map((tail) => tail.p95),
    after.map((tail) => tail.p95),
  );
  const p99 = change(
    before.map((tail) => tail.p99),
    after.map((tail) => tail.p99),
  );
  return { p95, p99, better: (p95.high < 0 || p99.high < 0) && p95.low <= 0 && p99.percent <= 0 };
}

/** Of ratios, whose logarithms are even: a block that is slow anyway does not outweigh the others. */
function change(before: readonly number[], after: readonly number[]): Change {
  const { mean, halfWidth } = estimate(after.map((seconds, index) => Math.log(seconds / before[index]!)));
  const percent = (logarithm: number) => 100 * Math.expm1(logarithm);
  return {
    before: geometricMean(before),
    after: geometricMean(after),
    percent: percent(mean!),
    low: percent(mean! - halfWidth!),
    high: percent(mean! + halfWidth!),
  };
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
