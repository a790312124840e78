import type { Fields, TestGatewayOptions, TestPodOptions } from './test-gateway';

export function gatewayObject(
  schedulers: TestGatewayOptions['schedulers'],
  port: number,
  spec: Fields,
  metadata = { name: 'test', namespace: 'default' },
): Fields {
  return {
    apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
    kind: 'InferenceGatewayConfig',
    metadata,
    spec: {
      bbr: { enabled: true },
      ...spec,
      schedulers: schedulers.map((scheduler) => ({
        modelSelector: { matchLabels: { app: scheduler.name } },
        targetPort: port,
        ...scheduler,
      })),
    },
  };
}

export function podObject(
  name: string,
  labels: Readonly<Record<string, string>>,
  host: string,
  ready: boolean,
): Fields {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels },
    status: { podIP: host, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

export function podFlags(pod: TestPodOptions, schedulers: TestGatewayOptions['schedulers']): readonly string[] {
  const model = pod.model ?? schedulers.find(({ name }) => name === pod.scheduler)?.modelName;
  return [
    ...(model === undefined ? [] : ['--model', model]),
    ...(pod.adapters === undefined ? [] : ['--adapters', ...pod.adapters]),
    ...['--speed', String(pod.speed ?? 20)],
    ...(pod.flags ?? []),
  ];
}

/** A ConfigMap that names adapters, as the Body-Based Router reads it. */
export function adaptersObject(baseModel: string, adapters: readonly string[]): Fields {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `adapters-of-${baseModel.replaceAll(/[^a-z0-9]/g, '-')}`,
      namespace: 'default',
      labels: { 'inference.networking.k8s.io/bbr-managed': 'true' },
    },
    data: { baseModel, adapters: adapters.map((adapter) => `- ${adapter}\n`).join('') },
  };
}

/** An InferenceModelRewrite of one rule: `from` to the targets, by weight; without `from` a generic rule. */
export function rewriteObject(
  name: string,
  scheduler: string,
  from: string | undefined,
  targets: Readonly<Record<string, number>>,
): Fields {
  return {
    apiVersion: 'inference.networking.x-k8s.io/v1alpha2',
    kind: 'InferenceModelRewrite',
    metadata: { name, namespace: 'default' },
    spec: {
      poolRef: { name: scheduler },
      rules: [
        {
          ...(from !== undefined && { matches: [{ model: { type: 'Exact', value: from } }] }),
          targets: Object.entries(targets).map(([modelRewrite, weight]) => ({ modelRewrite, weight })),
        },
      ],
    },
  };
}
