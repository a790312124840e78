import type { ConfigMap } from '../../api/config-map';
import type { InferenceGatewayConfig } from '../../api/inference-gateway-config/inference-gateway-config';
import { schedulerWeights } from '../../api/inference-gateway-config/scorer-weights';
import { formatPath } from '../../api/validation/fault';
import type { CheckedObject } from '../check-objects';
import type { FlowControlState, ScorerWeights } from '../gateway-state';
import { faultLine, sourceLine } from '../sourced-value';
import { parseEndpointPickerConfig } from './endpoint-picker-config';
import { compileFlowControl } from './flow-control';

type Scheduler = InferenceGatewayConfig['spec']['schedulers'][number];

interface CompiledPickerConfig {
  readonly weights: ScorerWeights;
  readonly flowControl?: FlowControlState;
  /** Only where a file says it. Milliseconds. */
  readonly emptyPoolHoldMs?: number;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * How a scheduler picks and lets wait: by its `configMapRef`, else by its own weights, its profile's or the contract's.
 * `flowControl` of the scheduler wins over that of the file.
 */
export function compilePickerConfig(
  scheduler: Scheduler,
  index: number,
  config: CheckedObject<InferenceGatewayConfig>,
  configMaps: ReadonlyArray<CheckedObject<ConfigMap>>,
): CompiledPickerConfig {
  const weights = schedulerWeights(scheduler);
  const flowControl = scheduler.flowControl && compileFlowControl(scheduler.flowControl);
  const own = { weights, ...(flowControl && { flowControl }) };
  const reference = scheduler.configMapRef;
  if (reference === undefined) return { ...own, faults: [], warnings: [] };

  const fault = (field: string, message: string): CompiledPickerConfig => ({
    ...own,
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
    return { ...own, faults: parsed.faults.map(describe), warnings: [] };
  }
  const where = `${sourceLine(configMap.at, path)} ConfigMap ${reference.name}`;
  const warnings = parsed.warnings.map((warning) => `${where}: ${warning}`);
  if (flowControl !== undefined && parsed.flowControl !== undefined) {
    warnings.push(`${where}: spec.schedulers[${index}].flowControl wins over the flow control of this file`);
  }
  const { emptyPoolHoldMs } = parsed;
  return {
    ...(parsed.flowControl && { flowControl: parsed.flowControl }),
    ...own,
    weights: parsed.weights,
    ...(emptyPoolHoldMs !== undefined && { emptyPoolHoldMs }),
    faults: [],
    warnings,
  };
}
