import type { Signal, SignalSource } from './engines';
import { labelValue, type Sample, samplesOf, type Wanted } from './exposition';

/** The wanted samples of one page. Series of one name are, for one, the ranks of a data-parallel server. */
export interface PageSamples {
  readonly page: Buffer;
  /** In the order of the page. */
  of(source: SignalSource): readonly Sample[];
}

export function readPage(page: Buffer, wanted: Wanted): PageSamples {
  const samples = samplesOf(page, wanted);
  return {
    page,
    of({ sample, where }) {
      const series = samples[wanted.names.numberOf(sample)];
      if (series === undefined) return [];
      if (where === undefined) return series;
      return series.filter((one) => labelValue(page, one.labelsStart, one.labelsEnd, where.label) === where.value);
    },
  };
}

/** NaN where none of the sources is on the page, as from the two below. */
export function sumOf(samples: PageSamples, signal: Signal): number {
  return firstOf(samples, signal, (values) => Math.min(total(values), Number.MAX_SAFE_INTEGER));
}

export function meanOf(samples: PageSamples, signal: Signal): number {
  return firstOf(samples, signal, (values) => total(values) / values.length);
}

export function mostOf(samples: PageSamples, signal: Signal): number {
  return firstOf(samples, signal, (values) => values.reduce((most, value) => Math.max(most, value), 0));
}

function firstOf(samples: PageSamples, signal: Signal, read: (values: readonly number[]) => number): number {
  for (const source of signal) {
    const series = samples.of(source);
    if (series.length === 0) continue;
    return read(
      source.oncePer === undefined ? series.map(({ value }) => value) : [...largest(samples, series, source.oncePer)],
    );
  }
  return Number.NaN;
}

function largest({ page }: PageSamples, series: readonly Sample[], label: string): Iterable<number> {
  const values = new Map<string | undefined, number>();
  for (const { value, labelsStart, labelsEnd } of series) {
    const key = labelValue(page, labelsStart, labelsEnd, label);
    values.set(key, Math.max(value, values.get(key) ?? 0));
  }
  return values.values();
}

function total(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
