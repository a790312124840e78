import type { TestPodOptions } from '../test-gateway';

/** The condition that a test sets where it says whether a pod is ready. */
export const READY_GATE = 'test/ready';
export const POD_PORT = 8000;

/** A model server as a pod; one that is absent has an address, and nothing that listens there. */
export function modelServer(namespace: string, pod: TestPodOptions, flags: readonly string[]): object {
  const metadata = { name: pod.name, namespace, labels: { app: pod.scheduler } };
  const container = pod.absent
    ? { name: 'model-server', image: 'test/nothing:v1' }
    : {
        name: 'model-server',
        image: 'inference-gateway:test',
        args: ['model-server', '--host=0.0.0.0', `--port=${POD_PORT}`, ...flags],
        // Also one that answers nothing is there: a test says whether it is ready.
        readinessProbe: { tcpSocket: { port: POD_PORT }, periodSeconds: 2 },
      };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      readinessGates: [{ conditionType: READY_GATE }],
      containers: [container],
    },
  };
}

/** A Service that leads to a server of the test itself. */
export function backendOfThisMachine(namespace: string, { name, port }: { name: string; port: number }, ip: string) {
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace },
      spec: { clusterIP: 'None', ports: [{ name: 'http', port }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [ip], conditions: { ready: true } }],
      ports: [{ name: 'http', port, protocol: 'TCP' }],
    },
  ];
}
