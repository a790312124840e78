import type { TestPodOptions } from '../test-gateway';

/** The condition that a test sets where it says whether a pod is ready. */
export const READY_GATE = 'test/ready';
export const POD_PORT = 8000;
/** The container of a model server. */
export const MODEL_SERVER = 'model-server';

/** A model server as a pod. */
export function modelServer(namespace: string, { name, scheduler }: TestPodOptions, flags: readonly string[]): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: scheduler } },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      readinessGates: [{ conditionType: READY_GATE }],
      containers: [
        {
          name: MODEL_SERVER,
          image: 'inference-gateway:test',
          args: ['model-server', '--host=0.0.0.0', `--port=${POD_PORT}`, ...flags],
          // Also one that answers nothing is there: a test says whether it is ready.
          readinessProbe: { tcpSocket: { port: POD_PORT }, periodSeconds: 2 },
        },
      ],
    },
  };
}

/** A pod of a node that nobody runs: its status, with an address of this machine, is what the test says. */
export function absentPod(namespace: string, { name, scheduler }: TestPodOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: scheduler } },
    spec: {
      nodeName: 'nowhere',
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: MODEL_SERVER, image: 'test/nothing' }],
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
