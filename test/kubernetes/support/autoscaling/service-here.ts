import { NODE_IP } from '../addresses';

export interface ServiceHere {
  readonly name: string;
  readonly namespace: string;
  readonly port: number;
  /** Where the test itself listens, on the node's address. */
  readonly target: number;
}

/** A Service whose only endpoint is the test itself. */
export function serviceHere({ name, namespace, port, target }: ServiceHere): readonly object[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace },
      spec: { ports: [{ name: 'main', port, targetPort: target }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: `${name}-here`, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [NODE_IP], conditions: { ready: true } }],
      ports: [{ name: 'main', port: target, protocol: 'TCP' }],
    },
  ];
}
