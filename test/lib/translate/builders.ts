import type { EnvoyOptions } from '../../../lib/translate/envoy';
import type { EndpointState, SchedulerState } from '../../../lib/translate/gateway-state';
import type { SourcedValue } from '../../../lib/translate/sourced-value';

type Fields = Readonly<Record<string, unknown>>;

export const ENVOY_OPTIONS: EnvoyOptions = {
  directory: '/run/gateway',
  listen: { host: '127.0.0.1', port: 8080 },
  admin: { pipe: '/run/gateway/admin.sock' },
  processor: { pipe: '/run/gateway/processor.sock' },
};

const GIE_GROUP = 'inference.networking.x-k8s.io';

const sourced = (value: unknown): SourcedValue => ({ source: 'test', value });

/** An InferenceGatewayConfig `default/gateway` with these schedulers. */
export function gatewayConfig(schedulers: readonly Fields[], spec: Fields = {}, metadata: Fields = {}): SourcedValue {
  return sourced({
    apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
    kind: 'InferenceGatewayConfig',
    metadata: { name: 'gateway', ...metadata },
    spec: { bbr: { enabled: true }, schedulers, ...spec },
  });
}

/** A scheduler that selects the pods labelled `app=<name>` and serves the model of its name. */
export function schedulerSpec(name: string, fields: Fields = {}): Fields {
  return { name, modelName: name, modelSelector: { matchLabels: { app: name } }, ...fields };
}

/** A ready pod. */
export function podObject(name: string, app: string, podIP: string | undefined, fields: Fields = {}): SourcedValue {
  return sourced({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app }, ...fields },
    status: { ...(podIP && { podIP }), conditions: [{ type: 'Ready', status: 'True' }] },
  });
}

export function configMapObject(name: string, data: Fields, metadata: Fields = {}): SourcedValue {
  return sourced({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data });
}

/** A ConfigMap that lists adapters for the router. */
export function adaptersObject(
  name: string,
  baseModel: string,
  adapters: readonly string[],
  metadata: Fields = {},
): SourcedValue {
  const labels = { 'inference.networking.k8s.io/bbr-managed': 'true' };
  return configMapObject(name, { baseModel, adapters: JSON.stringify(adapters) }, { labels, ...metadata });
}

export function rewriteObject(
  name: string,
  scheduler: string,
  rules: readonly Fields[],
  metadata: Fields = {},
): SourcedValue {
  return sourced({
    apiVersion: 'inference.networking.x-k8s.io/v1alpha2',
    kind: 'InferenceModelRewrite',
    metadata: { name, ...metadata },
    spec: { poolRef: { name: scheduler }, rules },
  });
}

export function objectiveObject(name: string, pool: string, spec: Fields = {}, group = GIE_GROUP): SourcedValue {
  return sourced({
    apiVersion: `${group}/v1alpha2`,
    kind: 'InferenceObjective',
    metadata: { name },
    spec: { poolRef: { name: pool }, ...spec },
  });
}

export function endpoint(address: string, fields: Partial<EndpointState> = {}): EndpointState {
  return { address, pod: `default/${address}`, ready: true, ...fields };
}

/** A compiled scheduler that serves the model of its name. */
export function schedulerState(
  name: string,
  endpoints: readonly EndpointState[],
  fields: Partial<SchedulerState> = {},
): SchedulerState {
  return {
    namespace: 'default',
    name,
    modelName: name,
    adapters: [],
    engine: 'vllm',
    weights: { queue: 2, kvCache: 2, prefix: 3, lru: 0, loraAffinity: 0, runningRequests: 0, predictedLatency: 0 },
    overload: { maxQueueTimeMs: 30_000, retryAfterMinSeconds: 1, retryAfterMaxSeconds: 60 },
    endpoints,
    ...fields,
  };
}
