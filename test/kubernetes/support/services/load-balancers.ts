import type { V1LoadBalancerIngress, V1Service } from '@kubernetes/client-node';
import { loadBalancerIp } from '../addresses';
import type { Client } from '../api/client';
import { ApiRefusal } from '../api/request';

/** Below it lie the host names of load balancers that have one. */
export const LOAD_BALANCER_DOMAIN = 'elb.test';

export interface LoadBalancers {
  ipsOf(service: V1Service): readonly string[];
  /** Writes the address into the Service's status, unless it is there. */
  publish(service: V1Service): Promise<void>;
}

/**
 * Gives each Service of type LoadBalancer an address. One with a class gets a host name, as the load balancers of AWS
 * have, the others an IP address. Those of `otherClass` are left to the test.
 */
export function loadBalancers(client: Client, otherClass: string | undefined): LoadBalancers {
  const ips = new Map<string, string>();
  const ipOf = ({ metadata }: V1Service): string => {
    const known = ips.get(metadata!.uid!) ?? loadBalancerIp(ips.size);
    ips.set(metadata!.uid!, known);
    return known;
  };
  const isServed = ({ spec }: V1Service) =>
    spec?.type === 'LoadBalancer' && (otherClass === undefined || spec.loadBalancerClass !== otherClass);
  return {
    ipsOf: (service) => (isServed(service) ? [ipOf(service)] : []),
    async publish(service) {
      if (!isServed(service) || service.status?.loadBalancer?.ingress !== undefined) return;
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
