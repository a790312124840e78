import type { AdapterResidency } from '../engine-metrics';
import type { ActiveAdapters, AdapterSources, LoadedAdapters } from './engines';
import { labelValue, type Sample } from './exposition';
import { mostOf, type PageSamples } from './page-samples';

/** Adapters taken from one list of a page, and characters of one name: an engine that lists more is not believed. */
const MAX_ADAPTERS = 1024;
const MAX_ADAPTER_NAME = 512;

/** Undefined where the page does not tell how many adapters fit: then nothing can be said of them. */
export function adaptersOf(samples: PageSamples, sources: AdapterSources): AdapterResidency | undefined {
  const { page } = samples;
  const { active } = sources;
  const newest = newestOf(samples, active);
  const label = (name: string) =>
    newest === undefined ? undefined : labelValue(page, newest.labelsStart, newest.labelsEnd, name);
  const told = mostOf(samples, sources.slots);
  const slots = Number.isNaN(told) ? Number.parseInt(label(active.slots) ?? '', 10) : told;
  if (!(slots >= 0)) return undefined;
  const running = namesIn(label(active.running));
  const waiting = namesIn(label(active.waiting));
  let distinct = running.size;
  for (const name of waiting) if (!running.has(name)) distinct += 1;
  const loaded = loadedOf(samples, sources.loaded);
  return { running, waiting, distinct, slots, ...(loaded !== undefined && { loaded }) };
}

/** Each combination of adapters leaves a series behind: the one that was true last counts. */
function newestOf(samples: PageSamples, { sample }: ActiveAdapters): Sample | undefined {
  let newest: Sample | undefined;
  for (const series of samples.of({ sample })) {
    if (newest === undefined || series.value >= newest.value) newest = series;
  }
  return newest;
}

function loadedOf(samples: PageSamples, sources: readonly LoadedAdapters[]): Set<string> | undefined {
  const { page } = samples;
  for (const source of sources) {
    const series = samples.of(source);
    if (series.length === 0 && samples.of({ sample: source.witness }).length === 0) continue;
    const names = new Set<string>();
    for (const { value, labelsStart, labelsEnd } of series) {
      // Zero: no longer there. A tensor-parallel server has a series for each of its ranks.
      if (value > 0 && names.size < MAX_ADAPTERS)
        addName(names, labelValue(page, labelsStart, labelsEnd, source.adapter));
    }
    return names;
  }
  return undefined;
}

function namesIn(list: string | undefined): Set<string> {
  const names = new Set<string>();
  if (list === undefined || list === '') return names;
  for (const part of list.split(',', MAX_ADAPTERS)) addName(names, part);
  return names;
}

function addName(names: Set<string>, text: string | undefined): void {
  const name = text?.trim() ?? '';
  if (name !== '' && name.length <= MAX_ADAPTER_NAME) names.add(name);
}
