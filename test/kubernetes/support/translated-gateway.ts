import { join } from 'node:path';
import type { V1Pod } from '@kubernetes/client-node';
import type { InferenceGatewayConfig } from '../../../lib/api/inference-gateway-config/inference-gateway-config';
import { validateObject } from '../../../lib/api/validation/validate-object';
import { checkObjects, ofKind } from '../../../lib/translate/check-objects';
import { internalCertificates } from '../../../lib/translate/cluster/ingress/internal-certificates';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { endpointSlices } from '../../../lib/translate/cluster/schedulers/endpoint-slices';
import { gatewayStatus } from '../../../lib/translate/cluster/status/gateway-status';
import { translateGateway } from '../../../lib/translate/cluster/translate-gateway';
import type { Installation, Translation } from '../../../lib/translate/cluster/types';
import type { Cluster } from './cluster';
import { SYSTEM_NAMESPACE } from './install-envoy-gateway';
import { selfSigned } from './self-signed';

const ROOT = join(__dirname, '..', '..', '..');
const ENVOY = 'gateway.envoyproxy.io/v1alpha1';
const GATEWAY = 'gateway.networking.k8s.io/v1';

/** Kinds of which Envoy Gateway says whether it has taken them. */
const ATTACHED = {
  httproutes: GATEWAY,
  backendtlspolicies: GATEWAY,
  backendtrafficpolicies: ENVOY,
  clienttrafficpolicies: ENVOY,
  envoyextensionpolicies: ENVOY,
  securitypolicies: ENVOY,
};

const INSTALLATION: Installation = {
  systemNamespace: SYSTEM_NAMESPACE,
  envoyNamespace: SYSTEM_NAMESPACE,
  gatewayControllerName: 'gateway.envoyproxy.io/gatewayclass-controller',
  image: { reference: 'inference-gateway:test', pullPolicy: 'IfNotPresent', pullSecrets: [] },
  clusterDomain: 'cluster.local',
};

/** A gateway as the translation makes it, once, without a controller that follows anything. */
export interface TranslatedGateway {
  /** PEM of whom clients trust. */
  readonly ca: string;
  /** `status` as it follows from what is in the cluster now. */
  status(): Promise<ReturnType<typeof gatewayStatus>>;
}

/** Applies the config and what it becomes. The pods of its schedulers are there already. */
export async function applyTranslated(cluster: Cluster, value: KubernetesObject): Promise<TranslatedGateway> {
  const crds = ['vendor/inference-extension', 'inference.sagemaker.aws.amazon.com_inferencegatewayconfigs.yaml'];
  const files = crds.flatMap((name) => ['-f', join(ROOT, 'config', 'crd', name)]);
  await cluster.kubectl(['apply', '--server-side', ...files]);
  const checked = validateObject(value);
  if (!('object' in checked)) throw new Error(JSON.stringify(checked));
  const config = checked.object as InferenceGatewayConfig;
  // cert-manager is not there: the certificate that clients see is the test's.
  const world = { configs: [], objects: [], certManager: true, loadBalancerController: false };
  const translation = translateGateway(config, INSTALLATION, world);

  const { name, namespace = '' } = config.metadata;
  const shown = { name: `${name}-tls`, namespace: SYSTEM_NAMESPACE };
  const holders = [...internalCertificates(config, INSTALLATION, world), shown];
  const { certificate, key } = await selfSigned(join(cluster.logs, name), [
    `${name}-envoy.${SYSTEM_NAMESPACE}.svc`,
    ...holders.flatMap((holder) => ('dnsNames' in holder ? holder.dnsNames : [])),
  ]);
  await cluster.apply(
    holders.map((holder) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { name: holder.name, namespace: holder.namespace },
      stringData: { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': certificate },
    })),
  );
  const made = translation.objects.filter(isServed);
  await cluster.apply([value, ...made, ...slicesOf(config, cluster.pods.list())]);
  return { ca: certificate, status: () => statusOf(cluster, config, translation, namespace) };
}

/** cert-manager's kinds are not. */
function isServed({ apiVersion }: KubernetesObject): boolean {
  return !apiVersion.startsWith('cert-manager.io');
}

function slicesOf(config: InferenceGatewayConfig, pods: readonly V1Pod[]): readonly KubernetesObject[] {
  const { namespace } = config.metadata;
  const near = pods
    .filter(({ metadata }) => metadata?.namespace === namespace)
    .map((pod) => ({ source: 'pods', value: { ...pod, apiVersion: 'v1', kind: 'Pod' } }));
  const checked = checkObjects(near);
  if ('faults' in checked) throw new Error(checked.faults.join('; '));
  const selectable = ofKind(checked.objects, 'Pod');
  return config.spec.schedulers.flatMap((scheduler) => endpointSlices(config, scheduler, selectable, [], undefined));
}

async function statusOf(cluster: Cluster, config: InferenceGatewayConfig, translation: Translation, namespace: string) {
  const { name } = config.metadata;
  const list = async (apiVersion: string, plural: string, where: string) => {
    const { items } = await cluster.client.get<{ items: KubernetesObject[] }>(
      `/apis/${apiVersion}/namespaces/${where}/${plural}`,
    );
    return items;
  };
  const [inSystem, near] = [
    await list('apps/v1', 'deployments', SYSTEM_NAMESPACE),
    await list('apps/v1', 'deployments', namespace),
  ];
  const attached = Object.entries(ATTACHED).flatMap(([plural, apiVersion]) =>
    [SYSTEM_NAMESPACE, namespace].map((where) => list(apiVersion, plural, where)),
  );
  return gatewayStatus({
    object: { ...config, kind: config.kind } as unknown as KubernetesObject,
    config,
    installation: INSTALLATION,
    translation: { ...translation, objects: translation.objects.filter(isServed) },
    observed: {
      gateway: (await list(GATEWAY, 'gateways', SYSTEM_NAMESPACE)).find(({ metadata }) => metadata.name === name),
      attached: (await Promise.all(attached)).flat(),
      entrances: [],
      envoys: inSystem.filter(({ metadata }) => metadata.name === `${name}-envoy`),
      router: inSystem.find(({ metadata }) => metadata.name === `${name}-bbr`),
      pickers: near,
      pods: cluster.pods.list() as unknown as readonly KubernetesObject[],
    },
    now: new Date().toISOString(),
  });
}
