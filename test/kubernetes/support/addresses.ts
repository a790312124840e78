/** Every address of a cluster. They are free by construction: the network namespace is the run's own. */

/** The machine that all pods run on. */
export const NODE_IP = '192.168.49.1';
export const API_PORT = 6443;
export const KUBELET_PORT = 10_250;
export const SERVICE_CIDR = '10.96.0.0/16';
export const API_SERVICE_IP = '10.96.0.1';
export const DNS_SERVICE_IP = '10.96.0.10';
export const CLUSTER_DOMAIN = 'cluster.local';
export const POD_PREFIX_BITS = 16;
/** The bridge: the pods' way to everything that is not a pod. */
export const POD_GATEWAY_IP = '10.244.0.1';

/** The address of the n-th pod, from 0; Throws beyond about 65,000. */
export function podIp(index: number): string {
  const host = index + 2;
  if (host >= 65_535) throw new Error('the pod network has no address left');
  return `10.244.${host >> 8}.${host & 255}`;
}

/** The address of the n-th load balancer, from 0. */
export function loadBalancerIp(index: number): string {
  const host = index + 1;
  if (host >= 255) throw new Error('the load balancers have no address left');
  return `203.0.113.${host}`;
}

/** The n-th address, from 0, that a test can give to this machine. */
export function machineIp(index: number): string {
  const host = index + 1;
  if (host >= 255) throw new Error('the machine has no address left');
  return `198.51.100.${host}`;
}
