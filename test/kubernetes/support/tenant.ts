import type { V1ConfigMap } from '@kubernetes/client-node';
import type { Cluster } from './cluster';
import { gatewayClient } from './gateway-client';
import { gatewayConfig } from './gateway-config';
import { SYSTEM_NAMESPACE } from './install-gateway';

const GROUP = 'inference.sagemaker.aws.amazon.com';

/** Enough for a test, where many pods share a machine. */
const SMALL = { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '1Gi' } };

/** A scheduler of the pods that have its name as label `app`. */
export const scheduler = (name: string, more: object = {}) => ({
  name,
  modelName: name,
  modelSelector: { matchLabels: { app: name } },
  replicas: 1,
  ...more,
});

interface Told {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** One gateway of one namespace, as its author and its clients see it. */
export interface Tenant {
  readonly config: ReturnType<typeof gatewayConfig>;
  /** Its InferenceGatewayConfig with these schedulers. */
  object(schedulers: readonly object[]): object;
  /** Resolves with the status of a chat request, or the code of an error. */
  ask(model: string): Promise<number | string>;
  untilAnswered(model: string): Promise<void>;
  /** Condition of a scheduler, or of the gateway. */
  told(type: string, scheduler?: string): Promise<Told | undefined>;
  /** Messages of Events of the config, by reason. */
  events(reason: string): Promise<readonly string[]>;
}

interface Status {
  readonly conditions?: ReadonlyArray<Told & { readonly type: string }>;
  readonly schedulers?: ReadonlyArray<{ readonly name: string } & Pick<Status, 'conditions'>>;
}

export function tenant(cluster: Cluster, namespace: string, name: string): Tenant {
  const config = gatewayConfig(cluster, namespace, name);

  async function ask(model: string): Promise<number | string> {
    const path = `/api/v1/namespaces/${namespace}/configmaps/${name}-ca`;
    const { data } = await cluster.client.get<V1ConfigMap>(path);
    const client = gatewayClient(`${name}-envoy.${SYSTEM_NAMESPACE}.svc`, data!['ca.crt']!);
    const body = JSON.stringify({ model, max_tokens: 2, messages: [{ role: 'user', content: 'hello' }] });
    try {
      const { status, text } = await client.ask('/v1/chat/completions', { body });
      return status === 200 ? status : (JSON.parse(text) as { error: { code: string } }).error.code;
    } finally {
      await client.close();
    }
  }

  return {
    config,
    object: (schedulers) => ({
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'InferenceGatewayConfig',
      metadata: { name, namespace },
      spec: {
        bbr: { enabled: true, replicas: 1 },
        tls: {},
        endpoint: { type: 'clusterIP' },
        podDefaults: { resources: SMALL },
        envoy: { minReplicas: 1, maxReplicas: 1, resources: SMALL },
        schedulers,
      },
    }),
    ask,
    async untilAnswered(model) {
      await cluster.until(
        `an answer of ${namespace}/${name} for ${model}`,
        async () => {
          const answer = await ask(model);
          if (answer !== 200) throw new Error(String(answer));
          return true;
        },
        { timeout: 60_000, every: 500 },
      );
    },
    async told(type, of) {
      const { status } = await cluster.client.get<{ status?: Status }>(config.path);
      const { conditions } = (of === undefined ? status : status?.schedulers?.find((one) => one.name === of)) ?? {};
      return conditions?.find((one) => one.type === type);
    },
    async events(reason) {
      const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
      const { items } = await cluster.client.get<{ items: Event[] }>(path);
      return items.filter((one) => one.reason === reason && one.regarding.name === name).map(({ note }) => note);
    },
  };
}

interface Event {
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly name: string };
}

/** A model server, quicker than any GPU. */
export function modelServer(namespace: string, app: string, adapters: readonly string[] = []): object {
  const flags = ['--host=0.0.0.0', '--port=8000', `--model=${app}`, '--speed=50'];
  const container = {
    name: 'model-server',
    image: 'inference-gateway:test',
    args: ['model-server', ...flags, ...(adapters.length > 0 ? ['--adapters', ...adapters] : [])],
    readinessProbe: { httpGet: { path: '/health', port: 8000 }, periodSeconds: 2 },
  };
  const metadata = { name: app, namespace, labels: { app } };
  const spec = { automountServiceAccountToken: false, terminationGracePeriodSeconds: 1, containers: [container] };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}
