import { items, propertyAt } from '../../../lib/api/validation/loose';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { HealthStatus } from '../../envoy-api/generated/envoy/config/core/v3/health_check_pb';
import type { DiscoveredEndpoint } from './assignment';

/**
 * The ready replicas behind a port of a Service, each in a tier of its own, in the same order for every Envoy: a picker
 * knows what it has picked itself, so that all ask one, and the next when it is gone. Pickers speak TLS; one does not where
 * its Service says so (`appProtocol: kubernetes.io/h2c`).
 */
export function pickerEndpoints(
  service: KubernetesObject | undefined,
  port: number,
  slices: readonly KubernetesObject[],
): (readonly [DiscoveredEndpoint])[] {
  if (service === undefined || propertyAt(service.spec, 'type') === 'ExternalName') return [];
  const found = items(propertyAt(service.spec, 'ports')).find((one) => isAt(port, one));
  if (found === undefined) return [];
  const name = propertyAt(found, 'name') ?? '';
  const isPlain = propertyAt(found, 'appProtocol') === 'kubernetes.io/h2c';
  // A name in place of an address would have Envoy refuse them all.
  const usable = slices.filter(({ addressType }) => addressType !== 'FQDN');
  const endpoints = usable.flatMap((slice) => {
    const target = items(slice.ports).find((one) => (propertyAt(one, 'name') ?? '') === name);
    const number = propertyAt(target, 'port');
    return typeof number === 'number' ? items(slice.endpoints).flatMap((one) => readyAt(one, number, isPlain)) : [];
  });
  const byAddress = new Map(endpoints.map((endpoint) => [`${endpoint.address} ${endpoint.port}`, endpoint]));
  return [...byAddress].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, endpoint]) => [endpoint]);
}

/** gRPC is over TCP; a Service may have the same number for UDP too. */
function isAt(number: number, port: unknown): boolean {
  return propertyAt(port, 'port') === number && (propertyAt(port, 'protocol') ?? 'TCP') === 'TCP';
}

/** What says nothing of its readiness is ready. */
function readyAt(endpoint: unknown, port: number, isPlain: boolean): DiscoveredEndpoint[] {
  if (propertyAt(propertyAt(endpoint, 'conditions'), 'ready') === false) return [];
  const [address] = items(propertyAt(endpoint, 'addresses'));
  return typeof address === 'string'
    ? [{ address, port, health: HealthStatus.HEALTHY, ...(isPlain && { isPlain }) }]
    : [];
}
