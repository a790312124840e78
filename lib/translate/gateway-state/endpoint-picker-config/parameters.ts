import type { Fault } from '../../../api/validation/fault';
import type { EndpointPickerConfig } from './schema';

const BLOCKS = 'prompts are compared in blocks of 256 bytes, the first 512 of them';
const FULL = 'a pod is full when its batch or its KV cache is, and spec.overload.maxQueueTime says what is refused';

/** Of a parameter that is not followed: why that is well, as a clause. */
export const IGNORED: Readonly<Record<string, string>> = {
  maxNumOfEndpoints: 'how many pods a request may try is spec.schedulers[].retry.attempts',
  autoTune: BLOCKS,
  blockSize: BLOCKS,
  blockSizeTokens: BLOCKS,
  maxPrefixBlocksToMatch: BLOCKS,
  maxPrefixTokensToMatch: BLOCKS,
  lruCapacityPerServer: 'a pod is held to cache as many blocks as its model server says',
  lruSize: 'every pod is remembered',
  queueDepthThreshold: FULL,
  kvCacheUtilThreshold: FULL,
  headroom: FULL,
  metricsStalenessThreshold: 'a pod whose metrics are older than 2s gets no request while others are fresh',
  defaultEngine: 'the model server is spec.schedulers[].engineType',
  engineLabelKey: 'the model server is spec.schedulers[].engineType',
};

/** Parameters by which the fleet would be balanced otherwise than here, and values that change nothing. */
export const DECISIVE: Readonly<
  Record<string, Readonly<Record<string, { readonly same?: unknown; readonly advice: string }>>>
> = {
  'prefix-cache-scorer': {
    matchLengthWeight: { same: 0, advice: 'the share of the prompt that is cached counts, and not its length' },
  },
  'latency-scorer': {
    headroomSelectionStrategy: { same: 'least', advice: 'the soonest first token counts' },
  },
  'metrics-data-source': {
    scheme: { same: 'http', advice: 'metrics are read over http' },
    path: { same: '/metrics', advice: 'metrics are read at /metrics' },
  },
  'core-metrics-extractor': {
    engineConfigs: { advice: 'the names of metrics are those of spec.schedulers[].engineType: set that' },
  },
  'static-usage-limit-policy': {
    threshold: { same: 1, advice: 'a band is not held back by a share of the pool: set spec.overload.maxQueueTime' },
  },
};

/** What the parameters of the plugins come to: none is followed, so each is a fault where it decides, else a warning. */
export function parameterNotes(config: EndpointPickerConfig): {
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
} {
  const faults: Fault[] = [];
  const warnings: string[] = [];
  for (const [index, { name, type, parameters }] of config.plugins.entries()) {
    for (const [parameter, value] of Object.entries(parameters ?? {})) {
      const decisive = own(own(DECISIVE, type) ?? {}, parameter);
      if (decisive !== undefined) {
        if (decisive.same !== undefined && decisive.same === value) continue;
        const message = `this picker does not follow it: ${decisive.advice}`;
        faults.push({ path: ['plugins', index, 'parameters', parameter], message });
        continue;
      }
      const reason = own(IGNORED, parameter);
      const why = reason === undefined ? '' : `: ${reason}`;
      warnings.push(`parameter ${parameter} of plugin ${name ?? type} has no effect in this picker${why}`);
    }
  }
  return { faults, warnings };
}

/** Names in a file are not those of `Object.prototype`. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
