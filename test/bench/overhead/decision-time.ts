const METRIC = 'inference_extension_scheduler_e2e_duration_seconds';

/** The scheduler's histogram at one moment: cumulative counts by upper bound, ascending. */
export interface DecisionHistogram {
  readonly buckets: ReadonlyArray<{ readonly bound: number; readonly count: number }>;
  readonly sum: number;
  readonly count: number;
}

export interface DecisionTime {
  readonly meanMicros: number;
  /** Interpolated inside its bucket. */
  readonly p50Micros: number;
}

/** Reads it from a Prometheus page, all series added up; undefined when the page has none. */
export function readDecisionHistogram(page: string): DecisionHistogram | undefined {
  const buckets = new Map<number, number>();
  let sum = 0;
  let count = 0;
  for (const line of page.split('\n')) {
    if (!line.startsWith(METRIC)) continue;
    const value = Number(line.slice(line.lastIndexOf(' ') + 1));
    const suffix = line.slice(METRIC.length);
    if (suffix.startsWith('_sum')) sum += value;
    else if (suffix.startsWith('_count')) count += value;
    else {
      const bound = /le="([^"]+)"/.exec(suffix)?.[1];
      if (bound === undefined) continue;
      const key = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
      buckets.set(key, (buckets.get(key) ?? 0) + value);
    }
  }
  if (buckets.size === 0) return undefined;
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  return { buckets: sorted.map(([bound, total]) => ({ bound, count: total })), sum, count };
}

/** Of the decisions between two readings; undefined when there were none. */
export function decisionTime(before: DecisionHistogram, after: DecisionHistogram): DecisionTime | undefined {
  const total = after.count - before.count;
  if (total <= 0) return undefined;
  let below = 0;
  let lower = 0;
  let p50 = Number.NaN;
  for (const [i, { bound, count }] of after.buckets.entries()) {
    const upTo = count - (before.buckets[i]?.count ?? 0);
    if (upTo >= total / 2) {
      const share = (total / 2 - below) / (upTo - below);
      p50 = Number.isFinite(bound) ? lower + share * (bound - lower) : lower;
      break;
    }
    below = upTo;
    lower = bound;
  }
  return { meanMicros: ((after.sum - before.sum) / total) * 1e6, p50Micros: p50 * 1e6 };
}
