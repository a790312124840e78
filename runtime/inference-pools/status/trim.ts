import { items, property, propertyAt } from '../../../lib/api/validation/loose';
import type { KubernetesObject, ObjectMetadata } from '../../../lib/translate/cluster/kubernetes-object';
import { isFromRoute, isToPool } from './granted';
import { poolBackends } from './leading-gateways';

/* What is kept of each kind: no more than the status of pools follows from, because a cluster may have thousands of routes
 * and Services. Of a route that leads to no pool nothing is kept but its name. */

const REFERENCE = ['group', 'kind', 'namespace', 'name'];

export function trimPool(pool: KubernetesObject): KubernetesObject {
  return {
    ...named(pool, 'generation'),
    spec: pick(pool.spec, 'endpointPickerRef'),
    status: pick(pool.status, 'parents'),
  };
}

export function trimRoute(route: KubernetesObject): KubernetesObject {
  const backendRefs = poolBackends(route).map((backend) => pick(backend, ...REFERENCE));
  if (backendRefs.length === 0) return named(route);
  const parentRefs = items(propertyAt(route.spec, 'parentRefs')).map((parent) => pick(parent, ...REFERENCE));
  const parents = items(propertyAt(route.status, 'parents')).map((place) => ({
    parentRef: pick(property(place, 'parentRef'), ...REFERENCE),
    controllerName: property(place, 'controllerName'),
    conditions: items(property(place, 'conditions'))
      .filter((condition) => property(condition, 'type') === 'Accepted')
      .map((condition) => pick(condition, 'type', 'status', 'reason', 'message')),
  }));
  return { ...named(route), spec: { parentRefs, rules: [{ backendRefs }] }, status: { parents } };
}

export function trimGateway(gateway: KubernetesObject): KubernetesObject {
  return { ...named(gateway), spec: pick(gateway.spec, 'gatewayClassName') };
}

export function trimGatewayClass(gatewayClass: KubernetesObject): KubernetesObject {
  return { ...named(gatewayClass), spec: pick(gatewayClass.spec, 'controllerName') };
}

export function trimListenerSet(set: KubernetesObject): KubernetesObject {
  return { ...named(set), spec: { parentRef: pick(propertyAt(set.spec, 'parentRef'), ...REFERENCE) } };
}

export function trimGrant(grant: KubernetesObject): KubernetesObject {
  const from = items(propertyAt(grant.spec, 'from')).filter(isFromRoute);
  const to = items(propertyAt(grant.spec, 'to')).filter(isToPool);
  return from.length === 0 || to.length === 0 ? named(grant) : { ...named(grant), spec: { from, to } };
}

export function trimService(service: KubernetesObject): KubernetesObject {
  const ports = items(propertyAt(service.spec, 'ports')).map((port) => pick(port, 'port', 'protocol'));
  return { ...named(service), spec: { ...pick(service.spec, 'type'), ports } };
}

/** Whether two trimmed objects say the same. Each write of one brings an event, whatever it was about. */
export function saysTheSame(old: KubernetesObject, now: KubernetesObject): boolean {
  const said = ({ metadata, ...rest }: KubernetesObject) =>
    JSON.stringify([{ ...metadata, resourceVersion: undefined }, rest]);
  return said(old) === said(now);
}

function named({ apiVersion, kind, metadata }: KubernetesObject, ...more: readonly string[]): KubernetesObject {
  const kept = pick(metadata, 'name', 'namespace', 'uid', 'resourceVersion', ...more);
  return { apiVersion, kind, metadata: kept as unknown as ObjectMetadata };
}

function pick(value: unknown, ...names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    names.map((name) => [name, property(value, name)] as const).filter(([, field]) => field !== undefined),
  );
}
