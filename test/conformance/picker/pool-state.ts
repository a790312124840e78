import { checkObjects, ofKind } from '../../../lib/translate/check-objects';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { GatewayState } from '../../../lib/translate/gateway-state';
import { schedulerEndpoints } from '../../../lib/translate/gateway-state/endpoints';

/** What is read of an InferencePool. */
export interface InferencePool extends KubernetesObject {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly targetPorts: ReadonlyArray<{ readonly number: number }>;
  };
}

/** Bytes. */
const LARGEST_BODY = 10 * 1024 * 1024;

/** A pool and the pods of its namespace as a picker knows them: each port of each selected pod is an endpoint. */
export function poolState({ metadata, spec }: InferencePool, pods: readonly KubernetesObject[]): GatewayState {
  const { name, namespace = '' } = metadata;
  const checked = checkObjects(
    pods.map((value) => ({ source: 'cluster', value })),
    { tolerant: true },
  );
  const selectable = 'faults' in checked ? [] : ofKind(checked.objects, 'Pod');
  const endpoints = spec.targetPorts.flatMap(
    ({ number: targetPort }) =>
      schedulerEndpoints({ name, modelSelector: spec.selector, targetPort }, selectable).endpoints,
  );
  return {
    gateway: `${namespace}/${name}`,
    bodyRouting: false,
    maxRequestBodyBytes: LARGEST_BODY,
    explain: false,
    rewrites: [],
    schedulers: [{ namespace, name, adapters: [], engine: 'vllm', weights: NO_WEIGHTS, overload: NEVER, endpoints }],
  };
}

/** Endpoints are taken in turn. */
const NO_WEIGHTS = {
  queue: 0,
  kvCache: 0,
  prefix: 0,
  lru: 0,
  loraAffinity: 0,
  runningRequests: 0,
  predictedLatency: 0,
};

const NEVER = { maxQueueTimeMs: 0, retryAfterMinSeconds: 1, retryAfterMaxSeconds: 1 };
