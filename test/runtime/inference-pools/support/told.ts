import { type Any, anyUnpack } from '@bufbuild/protobuf/wkt';
import {
  type ClusterLoadAssignment,
  ClusterLoadAssignmentSchema,
} from '../../../../runtime/envoy-api/generated/envoy/config/endpoint/v3/endpoint_pb';

/** `ADDRESS PORT` of each endpoint, by tier. */
export function tiersOf({ endpoints }: ClusterLoadAssignment): string[][] {
  return endpoints.map(({ lbEndpoints }) =>
    lbEndpoints.map(({ hostIdentifier }) => {
      const address = hostIdentifier.case === 'endpoint' ? hostIdentifier.value.address?.address : undefined;
      if (address?.case !== 'socketAddress') throw new Error('an endpoint has no address');
      const { address: host, portSpecifier } = address.value;
      return `${host} ${portSpecifier.value}`;
    }),
  );
}

/** Of the first tier, which pools have alone. */
export const endpointsOf = (assignment: ClusterLoadAssignment | undefined): string[] | undefined =>
  assignment && (tiersOf(assignment)[0] ?? []);

/** As `endpointsOf`, of what is sent. */
export function endpointsIn(packed: Any): string[] | undefined {
  return endpointsOf(anyUnpack(packed, ClusterLoadAssignmentSchema));
}
