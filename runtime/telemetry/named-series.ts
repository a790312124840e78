/** The names that the configuration has at a moment. */
export interface ConfiguredNames {
  /** Schedulers, each `namespace/name`. */
  readonly pools: ReadonlySet<string>;
  /** Models, adapters and rewrites. */
  readonly models: ReadonlySet<string>;
}

type Labels = Readonly<Record<string, string>>;

/** Of a prom-client metric. */
interface Metric {
  remove(labels: Labels): void;
}

const POOL_LABELS: ReadonlySet<string> = new Set(['inference_pool']);
const MODEL_LABELS: ReadonlySet<string> = new Set([
  'model_name',
  'target_model_name',
  'target_model',
  'model_rewrite_name',
]);

/** What stands for every name that is not configured. */
export const OTHER = 'other';

/**
 * The series of a page that carry names of the configuration: they leave with their names, which come and go over the life
 * of a process.
 */
export class NamedSeries {
  private readonly metrics: Array<{ readonly metric: Metric; readonly series: Map<string, Labels> }> = [];

  /** Gives the labels of one series of `metric` back, and notes them. All of its labels must be given, in one order. */
  of<T extends Labels>(metric: Metric): (labels: T) => T {
    const series = new Map<string, Labels>();
    this.metrics.push({ metric, series });
    return (labels) => {
      const key = Object.values(labels).join('\n');
      if (!series.has(key)) series.set(key, labels);
      return labels;
    };
  }

  /** Removes the series with a name that is not configured any more. */
  keep(configured: ConfiguredNames): void {
    for (const { metric, series } of this.metrics) {
      for (const [key, labels] of series) {
        if (Object.entries(labels).every(([label, value]) => stays(label, value, configured))) continue;
        metric.remove(labels);
        series.delete(key);
      }
    }
  }
}

function stays(label: string, value: string, { pools, models }: ConfiguredNames): boolean {
  if (POOL_LABELS.has(label)) return pools.has(value);
  return !MODEL_LABELS.has(label) || value === OTHER || models.has(value);
}
