import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { V1ConfigMap, V1Service } from '@kubernetes/client-node';
import type { Cluster } from '../cluster';
import { gatewayConfig } from '../gateway-config';
import { SYSTEM_NAMESPACE } from '../install-gateway';

export const NAMESPACE = 'team';
const SMALL = { requests: { cpu: '10m', memory: '64Mi' } };

interface EndpointStatus {
  readonly observedGeneration?: number;
  readonly conditions?: ReadonlyArray<Condition>;
  readonly tls?: { readonly acmArn?: string; readonly dnsNames?: readonly string[] };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** A gateway without model pods, of which the way to it is looked at. */
export function endpointGateway(cluster: Cluster, name: string) {
  const config = gatewayConfig(cluster, NAMESPACE, name);
  const { client } = cluster;
  const envoy = `${name}-envoy`;
  const status = async () => (await config.read()) as { metadata: { generation: number }; status?: EndpointStatus };
  return {
    path: config.path,
    status: async () => (await status()).status ?? {},
    apply: (spec: { readonly endpoint?: object; readonly tls?: object }) =>
      cluster.apply({
        apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
        kind: 'InferenceGatewayConfig',
        metadata: { name, namespace: NAMESPACE },
        spec: {
          bbr: { enabled: true, replicas: 1 },
          podDefaults: { resources: SMALL },
          envoy: { minReplicas: 1, maxReplicas: 1, resources: SMALL },
          schedulers: [
            { name: `${name}-llama`, modelName: name, modelSelector: { matchLabels: { app: 'llama' } }, replicas: 1 },
          ],
          endpoint: {},
          tls: {},
          ...spec,
        },
      }),
    /** Resolves once the condition of the present spec is so. */
    untilSays: (type: string, wanted: Partial<Condition>, message: RegExp = /./) =>
      cluster.until(
        `${type} of ${name}: ${JSON.stringify(wanted)} ${message}`,
        async () => {
          const { metadata, status: seen } = await status();
          const found = seen?.conditions?.find((one) => one.type === type);
          const isSo = Object.entries(wanted).every(([key, value]) => found?.[key as keyof Condition] === value);
          if (seen?.observedGeneration === metadata.generation && isSo && message.test(found!.message)) return found;
          throw new Error(JSON.stringify(seen));
        },
        { timeout: 90_000, every: 250 },
      ),
    service: () => client.get<V1Service>(`/api/v1/namespaces/${SYSTEM_NAMESPACE}/services/${envoy}`),
    /** PEM of whom clients are told to trust. */
    async authority() {
      const path = `/api/v1/namespaces/${NAMESPACE}/configmaps/${name}-ca`;
      return (await client.get<V1ConfigMap>(path)).data!['ca.crt']!;
    },
  };
}

/** Asks for the models; resolves with the status, and the fingerprint of the certificate that was shown. Rejects where it does not verify. */
export function askModels(host: string, ca: string): Promise<{ readonly status: number; readonly shown: string }> {
  return new Promise((resolve, reject) => {
    request({ host, path: '/v1/models', ca, agent: false }, (response) => {
      const shown = (response.socket as TLSSocket).getPeerCertificate().fingerprint256;
      response.resume().once('end', () => resolve({ status: response.statusCode!, shown }));
    })
      .once('error', reject)
      .end();
  });
}
