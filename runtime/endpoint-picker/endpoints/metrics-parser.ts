import type { AdapterResidency, EngineMetrics } from '../engine-metrics';
import type { AdapterGauge, EngineSignals, Signal, SignalSource } from './engines';
import { forEachSample, labelValue } from './exposition';

/** Adapters taken from one list of a page, and bytes of one name: an engine that lists more is not believed. */
const MAX_ADAPTERS = 1024;
const MAX_ADAPTER_NAME = 512;

/**
 * Reads the wanted signals out of a metrics page, and nothing else of it. Series of one name (the ranks of a
 * data-parallel server) are added up, of a share the mean is taken. A signal that is not on the page, or is not finite,
 * is NaN. Never throws.
 */
export function parseMetrics(page: Buffer, signals: EngineSignals): EngineMetrics {
  return {
    waiting: firstOf(page, signals.waiting, sumOf),
    running: firstOf(page, signals.running, sumOf),
    kvUsage: Math.min(1, firstOf(page, signals.kvUsage, meanOf)),
    adapters: signals.adapters === undefined ? undefined : adaptersOf(page, signals.adapters),
  };
}

function firstOf(page: Buffer, signal: Signal, read: (page: Buffer, source: SignalSource) => number): number {
  for (const source of signal) {
    const value = read(page, source);
    if (!Number.isNaN(value)) return value;
  }
  return Number.NaN;
}

function sumOf(page: Buffer, source: SignalSource): number {
  let sum = Number.NaN;
  forEachSeries(page, source, (value) => {
    sum = (Number.isNaN(sum) ? 0 : sum) + value;
  });
  return Math.min(sum, Number.MAX_SAFE_INTEGER);
}

function meanOf(page: Buffer, source: SignalSource): number {
  let sum = 0;
  let count = 0;
  forEachSeries(page, source, (value) => {
    sum += value;
    count += 1;
  });
  return sum / count;
}

/** Values that are not finite are left out; one below zero is zero. */
function forEachSeries(page: Buffer, { sample, where }: SignalSource, visit: (value: number) => void): void {
  forEachSample(page, sample, (value, labelsStart, labelsEnd) => {
    if (!Number.isFinite(value)) return;
    if (where !== undefined && labelValue(page, labelsStart, labelsEnd, where.label) !== where.value) return;
    visit(Math.max(0, value));
  });
}

/**
 * The adapters by the newest series: each combination of adapters leaves a series behind whose value is the time at
 * which it was true last.
 */
function adaptersOf(page: Buffer, gauge: AdapterGauge): AdapterResidency | undefined {
  let newest = Number.NEGATIVE_INFINITY;
  let start = -1;
  let end = -1;
  forEachSample(page, gauge.sample, (value, labelsStart, labelsEnd) => {
    if (Number.isFinite(value) && value >= newest) {
      newest = value;
      start = labelsStart;
      end = labelsEnd;
    }
  });
  if (start < 0) return undefined;
  const slots = Number.parseInt(labelValue(page, start, end, gauge.slots) ?? '', 10);
  // Without the number of slots nothing can be said of what fits.
  if (!(slots >= 0)) return undefined;
  const running = namesIn(labelValue(page, start, end, gauge.running));
  const waiting = namesIn(labelValue(page, start, end, gauge.waiting));
  let distinct = running.size;
  for (const name of waiting) if (!running.has(name)) distinct += 1;
  return { running, waiting, distinct, slots };
}

function namesIn(list: string | undefined): Set<string> {
  const names = new Set<string>();
  if (list === undefined || list === '') return names;
  for (const part of list.split(',', MAX_ADAPTERS)) {
    const name = part.trim();
    if (name !== '' && name.length <= MAX_ADAPTER_NAME) names.add(name);
  }
  return names;
}
