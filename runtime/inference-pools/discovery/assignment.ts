import { create } from '@bufbuild/protobuf';
import type { HealthStatus } from '../../envoy-api/generated/envoy/config/core/v3/health_check_pb';
import {
  type ClusterLoadAssignment,
  ClusterLoadAssignmentSchema,
} from '../../envoy-api/generated/envoy/config/endpoint/v3/endpoint_pb';

/** Where requests can go. */
export interface DiscoveredEndpoint {
  readonly address: string;
  readonly port: number;
  readonly health: HealthStatus;
  /** Spoken to without TLS, where the others of its cluster are not. */
  readonly isPlain?: boolean;
}

/** Name of the transport socket of such, and what chooses it in an endpoint's metadata. */
export const PLAIN = 'plain';

/** Endpoints as Envoys take them. `tiers`: those of one are asked only when none of those before it lives. */
export function assignment(resource: string, tiers: readonly (readonly DiscoveredEndpoint[])[]): ClusterLoadAssignment {
  return create(ClusterLoadAssignmentSchema, {
    clusterName: resource,
    endpoints: tiers.map((endpoints, priority) => ({
      priority,
      // Where balancing goes by the weight of localities, one without a weight gets nothing.
      loadBalancingWeight: 1,
      lbEndpoints: endpoints.map(({ address, port, health, isPlain }) => ({
        ...(isPlain && { metadata: { filterMetadata: { 'envoy.transport_socket_match': { [PLAIN]: true } } } }),
        healthStatus: health,
        loadBalancingWeight: 1,
        hostIdentifier: {
          case: 'endpoint' as const,
          value: {
            address: {
              address: {
                case: 'socketAddress' as const,
                value: { address, portSpecifier: { case: 'portValue' as const, value: port } },
              },
            },
          },
        },
      })),
    })),
  });
}
