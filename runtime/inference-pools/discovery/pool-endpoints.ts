import { items, propertyAt } from '../../../lib/api/validation/loose';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { isReadyPod } from '../../../lib/translate/cluster/status/ready-pod';
import { HealthStatus } from '../../envoy-api/generated/envoy/config/core/v3/health_check_pb';
import type { DiscoveredEndpoint } from './assignment';

/** Annotation of a pod: those of its pool's ports at which it listens, separated by commas. */
export const ACTIVE_PORTS_ANNOTATION = 'inference.networking.k8s.io/active-ports';

/**
 * Each pod at each of the pool's ports. Those that are not ready are there too: a picker may learn before Envoy that a pod is
 * ready, and what it names must be known. Nothing but a picker sends them anything.
 */
export function poolEndpoints(pool: KubernetesObject, pods: readonly KubernetesObject[]): DiscoveredEndpoint[] {
  const ports = items(propertyAt(pool.spec, 'targetPorts')).map((port) => Number(propertyAt(port, 'number')));
  return [...pods]
    .filter(isThere)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap((pod) => {
      const address = String(propertyAt(pod.status, 'podIP'));
      const health = healthOf(pod);
      return activePorts(pod, ports).map((port) => ({ address, port, health }));
    });
}

function isThere({ status }: KubernetesObject): boolean {
  const phase = propertyAt(status, 'phase');
  return typeof propertyAt(status, 'podIP') === 'string' && phase !== 'Succeeded' && phase !== 'Failed';
}

function healthOf(pod: KubernetesObject): HealthStatus {
  if (pod.metadata.deletionTimestamp !== undefined) return HealthStatus.DRAINING;
  return isReadyPod(pod) ? HealthStatus.HEALTHY : HealthStatus.UNHEALTHY;
}

function activePorts({ metadata }: KubernetesObject, ports: readonly number[]): readonly number[] {
  const annotation = metadata.annotations?.[ACTIVE_PORTS_ANNOTATION];
  if (annotation === undefined) return ports;
  const active = new Set(annotation.split(',').map((port) => Number(port.trim())));
  return ports.filter((port) => active.has(port));
}
