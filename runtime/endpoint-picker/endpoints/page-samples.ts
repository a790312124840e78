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
  return firstOf(samples, signal, (series) => Math.min(total(series), Number.MAX_SAFE_INTEGER));
}

export function meanOf(samples: PageSamples, signal: Signal): number {
  return firstOf(samples, signal, (series) => total(series) / series.length);
}

export function mostOf(samples: PageSamples, signal: Signal): number {
  return firstOf(samples, signal, (series) => series.reduce((most, { value }) => Math.max(most, value), 0));
}

function firstOf(samples: PageSamples, signal: Signal, read: (series: readonly Sample[]) => number): number {
  for (const source of signal) {
    const series = samples.of(source);
    if (series.length > 0) return read(series);
  }
  return Number.NaN;
}

function total(series: readonly Sample[]): number {
  let sum = 0;
  for (const { value } of series) sum += value;
  return sum;
}
