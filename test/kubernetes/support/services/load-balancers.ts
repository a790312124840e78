import type { V1LoadBalancerIngress, V1Service } from '@kubernetes/client-node';
import { loadBalancerIp } from '../addresses';
import type { Client } from '../api/client';
import { ApiRefusal } from '../api/request';

/** Below it lie the host names of load balancers that have one. */
const LOAD_BALANCER_DOMAIN = 'elb.test';

export interface LoadBalancers {
  ipsOf(service: V1Service): readonly string[];
  /** Writes the address into the Service's status, unless it is there. */
  publish(service: V1Service): Promise<void>;
}

/**
 * Gives each Service of type LoadBalancer an address. One with a class gets a host name, as the load balancers of AWS
 * have, the others an IP address.
 */
export function loadBalancers(client: Client): LoadBalancers {
  const ips = new Map<string, string>();
  const ipOf = ({ metadata }: V1Service): string => {
    const known = ips.get(metadata!.uid!) ?? loadBalancerIp(ips.size);
    ips.set(metadata!.uid!, known);
    return known;
  };
  return {
    ipsOf: (service) => (service.spec?.type === 'LoadBalancer' ? [ipOf(service)] : []),
    async publish(service) {
      if (service.spec?.type !== 'LoadBalancer' || service.status?.loadBalancer?.ingress !== undefined) return;
      const { name, namespace } = service.metadata!;
      const hostname = loadBalancerName(service);
      const ingress: V1LoadBalancerIngress[] = [hostname === undefined ? { ip: ipOf(service) } : { hostname }];
      const path = `/api/v1/namespaces/${namespace}/services/${name}/status`;
      await client.patch(path, { status: { loadBalancer: { ingress } } }).catch((error: unknown) => {
        if (!(error instanceof ApiRefusal && error.code === 404)) throw error;
      });
    },
  };
}

/** Undefined where it has none. */
export function loadBalancerName({ metadata, spec }: V1Service): string | undefined {
  if (spec?.type !== 'LoadBalancer' || spec.loadBalancerClass === undefined) return undefined;
  return `${metadata!.name}-${metadata!.namespace}.${LOAD_BALANCER_DOMAIN}`;
}
