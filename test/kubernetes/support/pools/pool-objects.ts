import { join } from 'node:path';
import { standIn } from '../../../conformance/images';
import { bundledImage } from '../bundled-image';
import type { ProgramImage } from '../kubelet/images';

const ECHO_IMAGE = 'pools/echo';
const PICKER_IMAGE = 'pools/picker';

/** Programs that the pods of these objects run: a server that echoes, and the picker of the conformance suite. */
export async function poolImages(): Promise<Readonly<Record<string, ProgramImage>>> {
  return {
    [ECHO_IMAGE]: await bundledImage(join(__dirname, 'echo-server.ts')),
    [PICKER_IMAGE]: await standIn(),
  };
}

export interface PoolOptions {
  readonly name: string;
  readonly namespace: string;
  /** Of pods, default 2. */
  readonly replicas?: number;
  /** Default 3000. */
  readonly ports?: readonly number[];
  readonly h2c?: boolean;
  readonly failureMode?: 'FailOpen' | 'FailClose';
  /** Of the pool. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Replicas of the picker, default 1; 0: a picker of which there is nothing but the Service. */
  readonly pickers?: number;
}

/** A pool with its pods, and a picker of its own. */
export function poolObjects(options: PoolOptions): object[] {
  return [pods(options), pool(options), ...picker(options)];
}

const places = ({ name, namespace }: PoolOptions) => ({ name, namespace });
export const pickerName = ({ name }: Pick<PoolOptions, 'name'>): string => `${name}-epp`;

function pods(options: PoolOptions): object {
  const { name, ports = [3000], h2c, replicas = 2 } = options;
  return deployment(options, name, replicas, {
    containers: [
      {
        name: 'echo',
        image: ECHO_IMAGE,
        args: ports.map((port) => (h2c ? `${port}=h2c` : `${port}`)),
        env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        readinessProbe: { tcpSocket: { port: ports.at(-1) }, periodSeconds: 1 },
      },
    ],
  });
}

export function pool(options: PoolOptions): object {
  const { name, ports = [3000], h2c, failureMode, annotations } = options;
  return {
    apiVersion: 'inference.networking.k8s.io/v1',
    kind: 'InferencePool',
    metadata: { ...places(options), ...(annotations && { annotations }) },
    spec: {
      selector: { matchLabels: { app: name } },
      targetPorts: ports.map((number) => ({ number })),
      ...(h2c && { appProtocol: 'kubernetes.io/h2c' }),
      endpointPickerRef: { name: pickerName(options), port: { number: 9002 }, ...(failureMode && { failureMode }) },
    },
  };
}

function picker(options: PoolOptions): object[] {
  const { name, namespace, pickers = 1 } = options;
  const epp = pickerName(options);
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: epp, namespace },
      spec: { selector: { app: epp }, ports: [{ port: 9002, protocol: 'TCP', appProtocol: 'http2' }] },
    },
    deployment(options, epp, pickers, {
      serviceAccountName: 'default',
      containers: [
        {
          name: 'picker',
          image: PICKER_IMAGE,
          args: ['--pool-name', name, '--pool-namespace', namespace],
          readinessProbe: { grpc: { port: 9003, service: 'inference-extension' }, periodSeconds: 1 },
        },
      ],
    }),
  ];
}

function deployment({ namespace }: PoolOptions, app: string, replicas: number, spec: object): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: app, namespace },
    spec: {
      replicas,
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec: { terminationGracePeriodSeconds: 1, ...spec } },
    },
  };
}

/** What every picker of a namespace may read. */
export const pickerRights = (namespace: string): object[] => [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'picker', namespace },
    rules: [
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['inference.networking.k8s.io'], resources: ['inferencepools'], verbs: ['get', 'list', 'watch'] },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'picker', namespace },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'picker' },
  },
];
