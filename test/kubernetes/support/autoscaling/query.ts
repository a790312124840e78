/** A sample of one series, at the millisecond when its page was read. */
export interface Sample {
  readonly at: number;
  readonly value: number;
}

/** Samples of a series, the oldest first. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly samples: readonly Sample[];
}

/** As Prometheus: a series that has not been read for so long is gone. Milliseconds. */
const STALE_MS = 5_000;

const AGGREGATION = /^(sum|max)\((.*)\)$/;
const FALLBACK = /^(.*) or vector\((\d+)\)$/;
const INCREASE = /^increase\((.*)\[(\d+)([sm])\]\)$/;
const SELECTOR = /^(\w+)\{(.*)\}$/;

/**
 * What Prometheus answers to the few forms of queries that the examples have: a sum or the largest of series, or of what
 * they grew by in a time. Undefined: nothing. Throws on any other query.
 */
export function evaluate(query: string, all: readonly Series[], now: number): number | undefined {
  const [, inner = query, fallback] = FALLBACK.exec(query) ?? [];
  const [, aggregation, what] = AGGREGATION.exec(inner) ?? [];
  if (aggregation === undefined || what === undefined) throw new Error(`not a query that is known here: ${query}`);
  const values = valuesOf(what, all, now);
  if (values.length === 0) return fallback === undefined ? undefined : Number(fallback);
  return aggregation === 'sum' ? values.reduce((sum, one) => sum + one, 0) : Math.max(...values);
}

function valuesOf(what: string, all: readonly Series[], now: number): number[] {
  const [, selector, count, unit] = INCREASE.exec(what) ?? [];
  if (selector === undefined) {
    return selected(what, all)
      .map(({ samples }) => samples.at(-1)!)
      .filter(({ at }) => now - at <= STALE_MS)
      .map(({ value }) => value);
  }
  const since = now - Number(count) * (unit === 'm' ? 60_000 : 1_000);
  return selected(selector, all).flatMap(({ samples }) => {
    const inside = samples.filter(({ at }) => at >= since);
    return inside.length < 2 ? [] : [grown(inside)];
  });
}

function selected(selector: string, all: readonly Series[]): Series[] {
  const [, name, labels] = SELECTOR.exec(selector) ?? [];
  if (name === undefined || labels === undefined) throw new Error(`not a selector that is known here: ${selector}`);
  const wanted = [...labels.matchAll(/(\w+)="([^"]*)"/g)];
  return all.filter(
    (series) => series.name === name && wanted.every(([, label, value]) => series.labels[label!] === value),
  );
}

/** A counter that falls has begun anew. */
function grown(samples: readonly Sample[]): number {
  return samples
    .slice(1)
    .reduce(
      (sum, { value }, index) => sum + (value >= samples[index]!.value ? value - samples[index]!.value : value),
      0,
    );
}
