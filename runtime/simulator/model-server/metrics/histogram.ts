import type { Sample } from './exposition';

/** A Prometheus histogram with fixed bucket bounds. */
export class Histogram {
  private readonly counts: Float64Array;
  private sum = 0;
  private count = 0;

  /** `bounds`: upper bounds, ascending, without +Inf. */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length);
  }

  observe(value: number): void {
    this.sum += value;
    this.count++;
    const bucket = this.bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) this.counts[bucket]!++;
  }

  /** Cumulative buckets, sum and count, each with `labels`. */
  samples(labels: Readonly<Record<string, string>>): Sample[] {
    let below = 0;
    const buckets = this.bounds.map((bound, index) => {
      below += this.counts[index]!;
      return { suffix: '_bucket', labels: { ...labels, le: bound }, value: below };
    });
    return [
      ...buckets,
      { suffix: '_bucket', labels: { ...labels, le: Number.POSITIVE_INFINITY }, value: this.count },
      { suffix: '_count', labels, value: this.count },
      { suffix: '_sum', labels, value: this.sum },
    ];
  }
}

/** A histogram of which only the totals are known: every observation is shown at the mean. */
export function samplesAtMean(
  bounds: readonly number[],
  sum: number,
  count: number,
  labels: Readonly<Record<string, string>>,
): Sample[] {
  const mean = sum / count;
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound) => ({
    suffix: '_bucket',
    labels: { ...labels, le: bound },
    value: mean <= bound ? count : 0,
  }));
  return [...buckets, { suffix: '_count', labels, value: count }, { suffix: '_sum', labels, value: sum }];
}
