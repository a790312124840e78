import { POOL_GROUP, POOL_KIND } from '../../../lib/api/pool-ref';
import { propertyAt } from '../../../lib/api/validation/loose';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { ClusterLoadAssignment } from '../../envoy-api/generated/envoy/config/endpoint/v3/endpoint_pb';
import { type AbortScope, abortScope } from '../../kubernetes/abort-scope';
import type { Resource, Selection } from '../../kubernetes/api-client';
import { type Informer, type InformerOptions, startInformer } from '../../kubernetes/informer';
import { resourceOf } from '../../kubernetes/resources';
import { selectorQuery } from '../../objects/selector-query';
import { type EndpointsOf, parseResource } from '../resource-names';
import { assignment } from './assignment';
import { pickerEndpoints } from './picker-endpoints';
import { poolEndpoints } from './pool-endpoints';
import { trimEndpointPod } from './trim-endpoint-pod';

export type FollowOptions = Pick<InformerOptions, 'client' | 'clock' | 'random' | 'log' | 'signal'>;

/** What Envoys know by one name. */
export interface FollowedResource {
  /** Undefined: not known yet, and Envoys keep what they have. */
  current(): ClusterLoadAssignment | undefined;
  stop(): void;
}

const POOL = resourceOf(`${POOL_GROUP}/v1`, POOL_KIND);
const POD = resourceOf('v1', 'Pod');
const SERVICE = resourceOf('v1', 'Service');
const SLICE = resourceOf('discovery.k8s.io/v1', 'EndpointSlice');

/** The API server is asked again at the latest after this time. Milliseconds. */
const MAX_BACKOFF_MS = 5_000;

/** Watches what a resource is made of; `onChange` may have changed nothing. What is no resource has no endpoints. */
export function followResource(resource: string, options: FollowOptions, onChange: () => void): FollowedResource {
  const of = parseResource(resource);
  if (of === undefined) return { current: () => assignment(resource, []), stop() {} };
  return of.kind === 'pool'
    ? followPool(resource, of, options, onChange)
    : followPicker(resource, of, options, onChange);
}

function followPool(
  resource: string,
  { namespace, name }: EndpointsOf,
  options: FollowOptions,
  onChange: () => void,
): FollowedResource {
  const scope = abortScope(options.signal);
  /** Of the pool's present selector, and the next until it is known. */
  let pods: { readonly query: string; readonly informer: Informer; readonly scope: AbortScope } | undefined;
  const pools = start(POOL, { namespace, fieldSelector: `metadata.name=${name}` }, options, scope.signal, changed);

  function changed(): void {
    const pool = pools.get(name, namespace);
    const query = pool && queryOf(pool);
    if (query !== pods?.query) {
      release(pods?.scope);
      const podScope = abortScope(scope.signal);
      pods = query
        ? {
            query,
            scope: podScope,
            informer: start(
              POD,
              { namespace, labelSelector: query },
              options,
              podScope.signal,
              onChange,
              trimEndpointPod,
            ),
          }
        : undefined;
    }
    onChange();
  }

  return {
    current() {
      if (pools.state() === 'starting') return undefined;
      const pool = pools.get(name, namespace);
      if (pool === undefined || pods === undefined) return assignment(resource, []);
      if (pods.informer.state() === 'starting') return undefined;
      return assignment(resource, [poolEndpoints(pool, pods.informer.list())]);
    },
    stop: () => release(scope),
  };
}

function queryOf({ spec }: KubernetesObject): string {
  const matchLabels = propertyAt(propertyAt(spec, 'selector'), 'matchLabels') as Readonly<Record<string, string>>;
  return selectorQuery({ matchLabels });
}

function followPicker(
  resource: string,
  of: EndpointsOf & { readonly kind: 'picker' },
  options: FollowOptions,
  onChange: () => void,
): FollowedResource {
  const { namespace, name, port } = of;
  const scope = abortScope(options.signal);
  const follow = (kind: Resource, selection: Selection) => start(kind, selection, options, scope.signal, onChange);
  const services = follow(SERVICE, { namespace, fieldSelector: `metadata.name=${name}` });
  const slices = follow(SLICE, { namespace, labelSelector: `kubernetes.io/service-name=${name}` });
  return {
    current() {
      if (services.state() === 'starting' || slices.state() === 'starting') return undefined;
      return assignment(resource, pickerEndpoints(services.get(name, namespace), port, slices.list()));
    },
    stop: () => release(scope),
  };
}

function start(
  resource: Resource,
  selection: Selection,
  options: FollowOptions,
  signal: AbortSignal,
  onChange: () => void,
  trim?: InformerOptions['trim'],
): Informer {
  const given = { ...options, resource, selection, signal, maxBackoffMs: MAX_BACKOFF_MS };
  return startInformer({ ...given, onChange, onSync: onChange, ...(trim && { trim }) });
}

function release(scope: AbortScope | undefined): void {
  scope?.abort();
  scope?.release();
}
