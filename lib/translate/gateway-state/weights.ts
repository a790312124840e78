import type { ConfigMap } from '../../api/config-map';
import type { InferenceGatewayConfig } from '../../api/inference-gateway-config/inference-gateway-config';
import { schedulerWeights } from '../../api/inference-gateway-config/scorer-weights';
import { formatPath } from '../../api/validation/fault';
import type { CheckedObject } from '../check-objects';
import type { ScorerWeights } from '../gateway-state';
import { faultLine, sourceLine } from '../sourced-value';
import { parseEndpointPickerConfig } from './endpoint-picker-config';

type Scheduler = InferenceGatewayConfig['spec']['schedulers'][number];

interface CompiledWeights {
  readonly weights: ScorerWeights;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** A scheduler's weights: those of its `configMapRef`, else its own, its profile's or the contract's. */
export function compileWeights(
  scheduler: Scheduler,
  index: number,
  config: CheckedObject<InferenceGatewayConfig>,
  configMaps: ReadonlyArray<CheckedObject<ConfigMap>>,
): CompiledWeights {
  const weights = schedulerWeights(scheduler);
  const reference = scheduler.configMapRef;
  if (reference === undefined) return { weights, faults: [], warnings: [] };

  const fault = (field: string, message: string): CompiledWeights => ({
    weights,
    faults: [faultLine(config.at, ['spec', 'schedulers', index, 'configMapRef', field], message)],
    warnings: [],
  });
  const configMap = configMaps.find(({ object }) => object.metadata.name === reference.name);
  if (configMap === undefined) {
    return fault('name', `there is no ConfigMap ${reference.name} in namespace ${config.object.metadata.namespace}`);
  }
  const text = configMap.object.data?.[reference.key];
  if (text === undefined) return fault('key', `ConfigMap ${reference.name} has no key ${reference.key}`);

  const parsed = parseEndpointPickerConfig(text, scheduler.scheduler);
  const path = ['data', reference.key];
  if ('faults' in parsed) {
    const describe = (one: (typeof parsed.faults)[number]) => {
      const inner = formatPath(one.path);
      return faultLine(configMap.at, path, inner === '' ? one.message : `${inner}: ${one.message}`);
    };
    return { weights, faults: parsed.faults.map(describe), warnings: [] };
  }
  const where = `${sourceLine(configMap.at, path)} ConfigMap ${reference.name}`;
  return { weights: parsed.weights, faults: [], warnings: parsed.warnings.map((warning) => `${where}: ${warning}`) };
}
