import { BLOCK_TOKENS, type EngineSnapshot } from '../../engine/types';
import type { Family } from './exposition';
import { type Histogram, samplesAtMean } from './histogram';
import type { Statistics } from './statistics';

/** What a metrics page shows, before an engine's names. */
interface MetricsView {
  readonly model: string;
  readonly snapshot: EngineSnapshot;
  readonly statistics: Statistics;
  /** 0 when LoRA is off. */
  readonly maxLora: number;
  /** Sets of adapters seen at scrapes, each with the Unix seconds it was last true, newest last. */
  readonly loraSeries: readonly LoraSeries[];
}

/** Comma lists of adapters, as vLLM labels them. */
export interface LoraSeries {
  readonly running: string;
  readonly waiting: string;
  readonly at: number;
}

/** Writes a page; `padding` is text of further families to put where an engine has its bulk. */
export type Dialect = (view: MetricsView, padding: string) => string;

/** The KV block size as labels show it. */
export const BLOCK_SIZE_LABEL = String(BLOCK_TOKENS);

/** A gauge or counter with a single sample. */
export function single(
  type: 'gauge' | 'counter',
  name: string,
  help: string,
  labels: Readonly<Record<string, string>>,
  value: number,
): Family {
  return { name, type, help, samples: [{ labels, value }] };
}

/** A histogram under one set of labels. */
export function histogram(
  name: string,
  help: string,
  labels: Readonly<Record<string, string>>,
  source: Histogram,
): Family {
  return { name, type: 'histogram', help, samples: source.samples(labels) };
}

/** The same from totals alone. */
export function histogramAtMean(
  name: string,
  help: string,
  labels: Readonly<Record<string, string>>,
  bounds: readonly number[],
  totals: { readonly sum: number; readonly count: number },
): Family {
  return { name, type: 'histogram', help, samples: samplesAtMean(bounds, totals.sum, totals.count, labels) };
}
