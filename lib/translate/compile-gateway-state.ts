import type { InferenceGatewayConfig } from '../api/inference-gateway-config/inference-gateway-config';
import { durationToMilliseconds } from '../api/schema/duration';
import { type CheckedObject, type CheckOptions, checkObjects, ofKind } from './check-objects';
import type { GatewayState, OverloadState, SchedulerState } from './gateway-state';
import { adaptersByScheduler, type ModelConflict } from './gateway-state/adapters';
import { schedulerEndpoints } from './gateway-state/endpoints';
import { objectivesByScheduler } from './gateway-state/objectives';
import { compilePickerConfig } from './gateway-state/picker-config';
import { compileRewrites } from './gateway-state/rewrites';
import { faultLine, type SourcedValue, sourceLine } from './sourced-value';

export type CompileResult =
  | {
      readonly state: GatewayState;
      /** What was left out or will not do what its author meant; one sentence each. */
      readonly warnings: readonly string[];
      /** Those of the warnings that are about single schedulers, which pick and serve all the same. */
      readonly schedulerFaults: readonly SchedulerFault[];
    }
  /** `file:line path: message`, all of them; at least one. */
  | { readonly faults: readonly string[] };

export interface CompileOptions extends CheckOptions {
  /**
   * Nobody has read pods, or not those of some schedulers, by name: these have no endpoints, and are not warned of for
   * it. Default false.
   */
  readonly withoutPods?: boolean | ((scheduler: string) => boolean);
}

/** What is wrong with one scheduler. */
interface SchedulerFault {
  readonly scheduler: string;
  readonly reason: 'PickerConfigInvalid' | 'ModelNameConflict';
  readonly message: string;
}

/**
 * Compiles the objects around the one InferenceGatewayConfig among them. Pods, ConfigMaps, rewrites and objectives count
 * where they are in its namespace. `tolerant`: faults of other objects are warnings and leave these out; a scheduler
 * whose `configMapRef` cannot be used picks by the default weights, and is among `schedulerFaults`.
 */
export function compileGatewayState(values: readonly SourcedValue[], options: CompileOptions = {}): CompileResult {
  const checked = checkObjects(values, options);
  if ('faults' in checked) return checked;
  const [config, another] = ofKind(checked.objects, 'InferenceGatewayConfig');
  if (config === undefined) return { faults: ['no InferenceGatewayConfig was found: add one to the files'] };
  if (another !== undefined) return { faults: [secondGateway(config, another)] };
  const compiled = compileConfig(config, checked.objects, options);
  if ('faults' in compiled) return compiled;
  return { ...compiled, warnings: [...checked.leftOut.map((line) => `${line}: it is left out`), ...compiled.warnings] };
}

function compileConfig(
  config: CheckedObject<InferenceGatewayConfig>,
  objects: readonly CheckedObject[],
  { tolerant = false, withoutPods = false }: CompileOptions,
): CompileResult {
  const faults: string[] = [];
  const warnings: string[] = [];
  const schedulerFaults: SchedulerFault[] = [];
  const { metadata, spec } = config.object;
  const { namespace } = metadata;
  const { explain } = spec.observability;
  const near = objects.filter(({ object }) => object.metadata.namespace === namespace);
  const pods = ofKind(near, 'Pod');
  const configMaps = ofKind(near, 'ConfigMap');

  const adapters = adaptersByScheduler(spec.schedulers, config.at, configMaps);
  warnings.push(...adapters.warnings);
  schedulerFaults.push(...adapters.conflicts.flatMap(conflictFaults));
  const objectives = objectivesByScheduler(ofKind(near, 'InferenceObjective'), spec.schedulers);
  warnings.push(...objectives.warnings);
  const overload = compileOverload(spec.overload);
  const schedulers = spec.schedulers.map((scheduler, index): SchedulerState => {
    const picking = compilePickerConfig(scheduler, index, config, configMaps);
    faults.push(...picking.faults);
    for (const fault of picking.faults) {
      const message = `${fault}; until it can be used the scheduler picks as before, or by the default weights`;
      schedulerFaults.push({ scheduler: scheduler.name, reason: 'PickerConfigInvalid', message });
      if (tolerant) warnings.push(message);
    }
    warnings.push(...picking.warnings);
    const isBare = typeof withoutPods === 'function' ? withoutPods(scheduler.name) : withoutPods;
    const endpoints = isBare ? { endpoints: [], warnings: [] } : schedulerEndpoints(scheduler, pods);
    warnings.push(...endpoints.warnings);
    const { emptyPoolHoldMs = overload.emptyPoolHoldMs } = picking;
    const named = objectives.of.get(scheduler.name);
    const routeTimeoutMs = scheduler.routeTimeout && durationToMilliseconds(scheduler.routeTimeout);
    return {
      namespace,
      name: scheduler.name,
      ...(scheduler.modelName !== undefined && { modelName: scheduler.modelName }),
      adapters: adapters.of.get(scheduler.name) ?? [],
      engine: scheduler.engineType,
      weights: picking.weights,
      overload: { ...overload, emptyPoolHoldMs },
      ...(named && { objectives: named }),
      ...(picking.flowControl && { flowControl: picking.flowControl }),
      ...(scheduler.retry && { retry: scheduler.retry }),
      ...(typeof routeTimeoutMs === 'number' && { routeTimeoutMs }),
      appProtocol: scheduler.appProtocol,
      endpoints: endpoints.endpoints,
    };
  });
  const rewrites = compileRewrites(ofKind(near, 'InferenceModelRewrite'), schedulers);
  warnings.push(...rewrites.warnings);
  schedulerFaults.push(...rewrites.conflicts.flatMap(conflictFaults));
  if (faults.length > 0 && !tolerant) return { faults };

  return {
    state: {
      gateway: `${namespace}/${metadata.name}`,
      bodyRouting: spec.bbr.enabled,
      maxRequestBodyBytes: spec.bbr.maxRequestBodyBytes,
      ...(spec.bbr.defaultBackend && { defaultBackend: spec.bbr.defaultBackend }),
      explain: explain.enabled,
      ...(explain.enabled && { explainLogIntervalMs: durationToMilliseconds(explain.logInterval) ?? 0 }),
      ...(spec.auth?.jwt?.claims && { claims: true }),
      schedulers,
      rewrites: rewrites.rewrites,
    },
    warnings,
    schedulerFaults,
  };
}

function conflictFaults({ schedulers, message }: ModelConflict): SchedulerFault[] {
  return [...new Set(schedulers)].map((scheduler) => ({ scheduler, reason: 'ModelNameConflict', message }));
}

function compileOverload(overload: InferenceGatewayConfig['spec']['overload']): Required<OverloadState> {
  const wholeSeconds = (duration: string) => Math.max(1, Math.ceil((durationToMilliseconds(duration) ?? 0) / 1000));
  return {
    maxQueueTimeMs: durationToMilliseconds(overload.maxQueueTime) ?? 0,
    retryAfterMinSeconds: wholeSeconds(overload.retryAfter.min),
    retryAfterMaxSeconds: wholeSeconds(overload.retryAfter.max),
    emptyPoolHoldMs: durationToMilliseconds(overload.emptyPoolHold) ?? 0,
  };
}

function secondGateway(
  first: CheckedObject<InferenceGatewayConfig>,
  second: CheckedObject<InferenceGatewayConfig>,
): string {
  const [one, other] = [first, second].map(({ object }) => `${object.metadata.namespace}/${object.metadata.name}`);
  const path = ['metadata', 'name'];
  return faultLine(
    second.at,
    path,
    `InferenceGatewayConfig ${other} is one too many: a gateway runs one, and ${one} is in ${sourceLine(first.at, path)}; remove or move one`,
  );
}
