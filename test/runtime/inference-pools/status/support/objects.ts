import type { KubernetesObject } from '../../../../../lib/translate/cluster/kubernetes-object';
import { ENVOY_GATEWAY_CONTROLLER } from '../../../../../lib/translate/cluster/names';
import type { PoolFacts } from '../../../../../runtime/inference-pools/status/pool-facts';

const GATEWAY_API = 'gateway.networking.k8s.io';
const POOL_API = 'inference.networking.k8s.io';

/** Fields of `spec`, `status` or `metadata` that a test is about. */
type Fields = Readonly<Record<string, unknown>>;

export function pool(name = 'llama', spec: Fields = {}, parents?: readonly unknown[]): KubernetesObject {
  return {
    apiVersion: `${POOL_API}/v1`,
    kind: 'InferencePool',
    metadata: { name, namespace: 'team', uid: `uid-${name}`, generation: 1 },
    spec: { selector: { matchLabels: { app: name } }, targetPorts: [{ number: 8000 }], ...spec },
    ...(parents && { status: { parents } }),
  };
}

/** A picker Service `epp` at port 9002. */
export const PICKER = { endpointPickerRef: { name: 'epp', port: { number: 9002 } } };

export const backend = (name = 'llama', fields: Fields = {}) => ({
  group: POOL_API,
  kind: 'InferencePool',
  name,
  ...fields,
});

interface RouteFields {
  readonly namespace?: string;
  /** Default: the Gateway `gw` of the same namespace. */
  readonly parentRefs?: readonly Fields[];
  /** Default: the pool `llama`. */
  readonly backendRefs?: readonly Fields[];
  /** Of `status`. */
  readonly parents?: readonly unknown[];
}

export function route(name = 'chat', fields: RouteFields = {}): KubernetesObject {
  const { namespace = 'team', parentRefs = [{ name: 'gw' }], backendRefs = [backend()], parents = [] } = fields;
  return {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: 'HTTPRoute',
    metadata: { name, namespace, generation: 1 },
    spec: { parentRefs, hostnames: ['models.example.com'], rules: [{ backendRefs }] },
    status: { parents },
  };
}

/** What a controller, Envoy Gateway by default, says of a route at one of its parents. */
export function judged(status: string, parentRef: Fields = { name: 'gw' }, controllerName = ENVOY_GATEWAY_CONTROLLER) {
  const reason = status === 'True' ? 'Accepted' : 'NotAllowedByListeners';
  const message = status === 'True' ? 'Route is accepted' : 'No listeners allow it.';
  const times = { observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' };
  return {
    parentRef,
    controllerName,
    conditions: [
      { type: 'ResolvedRefs', status: 'False', reason: 'BackendNotFound', message: 'no', ...times },
      { type: 'Accepted', status, reason, message, ...times },
    ],
  };
}

export function gateway(name = 'gw', namespace = 'team', gatewayClassName = 'envoy'): KubernetesObject {
  return {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: 'Gateway',
    metadata: { name, namespace },
    spec: { gatewayClassName, listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
    status: { addresses: [{ value: '10.0.0.1' }] },
  };
}

export function gatewayClass(name = 'envoy', controllerName = ENVOY_GATEWAY_CONTROLLER): KubernetesObject {
  return { apiVersion: `${GATEWAY_API}/v1`, kind: 'GatewayClass', metadata: { name }, spec: { controllerName } };
}

export function listenerSet(name: string, parentRef: Fields): KubernetesObject {
  const listeners = [{ name: 'more', port: 81, protocol: 'HTTP' }];
  return {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: 'ListenerSet',
    metadata: { name, namespace: 'team' },
    spec: { parentRef, listeners },
  };
}

export function grant(from: readonly Fields[], to: readonly Fields[], namespace = 'team'): KubernetesObject {
  const metadata = { name: 'grant', namespace };
  return { apiVersion: `${GATEWAY_API}/v1beta1`, kind: 'ReferenceGrant', metadata, spec: { from, to } };
}

export const FROM_ROUTES = { group: GATEWAY_API, kind: 'HTTPRoute', namespace: 'apps' };
export const TO_POOLS = { group: POOL_API, kind: 'InferencePool' };

export function service(name = 'epp', spec: Fields = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'team' },
    spec: { type: 'ClusterIP', selector: { app: name }, ports: [{ name: 'grpc', port: 9002 }], ...spec },
  };
}

/** What a cluster with these objects knows. */
export function factsOf(...objects: readonly KubernetesObject[]): PoolFacts {
  const all = (kind: string) => objects.filter((object) => object.kind === kind);
  const find = (kind: string) => (name: string, namespace?: string) =>
    all(kind).find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  return {
    pools: all('InferencePool'),
    routes: all('HTTPRoute'),
    grants: all('ReferenceGrant'),
    gateway: find('Gateway'),
    gatewayClass: find('GatewayClass'),
    listenerSet: find('ListenerSet'),
    service: find('Service'),
  };
}
