import type { EngineType } from '../../../lib/translate/gateway-state';
import { type EngineCounters, type EngineMetrics, NO_COUNTERS } from '../engine-metrics';
import { adaptersOf } from './adapters-parser';
import { type CapacitySource, ENGINE_SIGNALS, type EngineSignals } from './engines';
import { labelValue, type Wanted, wanted } from './exposition';
import { meanOf, mostOf, type PageSamples, readPage, sumOf } from './page-samples';

const WANTED: Readonly<Record<EngineType, Wanted>> = {
  vllm: wanted(namesIn(ENGINE_SIGNALS.vllm)),
  sglang: wanted(namesIn(ENGINE_SIGNALS.sglang)),
  tgi: wanted(namesIn(ENGINE_SIGNALS.tgi)),
  trtllm: wanted(namesIn(ENGINE_SIGNALS.trtllm)),
  triton: wanted(namesIn(ENGINE_SIGNALS.triton)),
};

/**
 * Reads the wanted signals out of a metrics page, and nothing else of it. Series of one name (the ranks of a
 * data-parallel server) are added up, of a share the mean is taken. A signal that is not on the page, or is not finite,
 * is NaN. Never throws.
 */
export function parseMetrics(page: Buffer, engine: EngineType): EngineMetrics {
  const { waiting, running, kvUsage, kvCapacity, adapters, counters } = ENGINE_SIGNALS[engine];
  const samples = readPage(page, WANTED[engine]);
  return {
    waiting: sumOf(samples, waiting),
    running: sumOf(samples, running),
    kvUsage: Math.min(1, meanOf(samples, kvUsage)),
    adapters: adapters === undefined ? undefined : adaptersOf(samples, adapters),
    kvCapacityTokens: capacityOf(samples, kvCapacity),
    counters: countersOf(samples, counters),
  };
}

function countersOf(samples: PageSamples, sources: EngineSignals['counters']): EngineCounters {
  const counters: { -readonly [counter in keyof EngineCounters]: number } = { ...NO_COUNTERS };
  for (const counter of Object.keys(sources) as Array<keyof EngineCounters>) {
    counters[counter] = sumOf(samples, sources[counter]!);
  }
  return counters;
}

function capacityOf(samples: PageSamples, sources: readonly CapacitySource[]): number {
  for (const source of sources) {
    const tokens = tokensOf(samples, source);
    // A server that is still starting tells none, or zero.
    if (tokens > 0) return Math.min(tokens, Number.MAX_SAFE_INTEGER);
  }
  return Number.NaN;
}

function tokensOf(samples: PageSamples, source: CapacitySource): number {
  if ('tokens' in source) return sumOf(samples, [source.tokens]);
  // Blocks are added up over ranks, their size is the same in all.
  if ('blocks' in source) return sumOf(samples, [source.blocks]) * mostOf(samples, [source.blockTokens]);
  const { page } = samples;
  let tokens = 0;
  for (const { labelsStart, labelsEnd } of samples.of({ sample: source.info })) {
    const blocks = labelValue(page, labelsStart, labelsEnd, source.blocksLabel);
    const blockTokens = labelValue(page, labelsStart, labelsEnd, source.blockTokensLabel);
    tokens += countIn(blocks) * countIn(blockTokens);
  }
  return tokens;
}

/** A label that is no number (vLLM writes `None` for what it does not know) makes the product NaN. */
function countIn(label: string | undefined): number {
  return label !== undefined && /^\d{1,15}$/.test(label) ? Number(label) : Number.NaN;
}

function namesIn({ waiting, running, kvUsage, kvCapacity, adapters, counters }: EngineSignals): Set<string> {
  const signals = [waiting, running, kvUsage, ...Object.values(counters)];
  if (adapters !== undefined) signals.push(adapters.loaded, adapters.slots);
  const names = new Set(signals.flat().map(({ sample }) => sample));
  if (adapters !== undefined) {
    names.add(adapters.active.sample);
    for (const { witness } of adapters.loaded) names.add(witness);
  }
  for (const source of kvCapacity) {
    if ('tokens' in source) names.add(source.tokens.sample);
    else if ('info' in source) names.add(source.info);
    else names.add(source.blocks.sample).add(source.blockTokens.sample);
  }
  return names;
}
