import { type Cluster, startCluster } from '../kubernetes/support/cluster';
import { installGateway } from '../kubernetes/support/install-gateway';
import { conformanceImages, PLACEHOLDER_IMAGE } from './images';
import type { ConformanceOptions } from './options';

/** The class of the product. */
export const GATEWAY_CLASS = 'inference-gateway';

/** Namespaces of the suite: of its Gateways, and of its pools with what belongs to them. */
export const GATEWAYS = 'inference-conformance-infra';
export const BACKENDS = 'inference-conformance-app-backend';

/**
 * Kinds that left upstream's bundle with the release that the suite is of. They are served as last published, and say so;
 * the suite would take two releases for a mixed installation of its own kinds.
 */
const RETIRED = ['inferenceobjectives', 'inferencemodelrewrites'];
const BUNDLE_VERSION = 'inference.networking.k8s.io/bundle-version';

interface ClassStatus {
  readonly status?: { readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }> };
}

/** A cluster of two nodes in which the product runs as its plain manifests install it, ready for a suite. */
export async function startConformanceCluster(picker: ConformanceOptions['picker']): Promise<Cluster> {
  const cluster = await startCluster({ images: await conformanceImages(picker), nodes: 2 });
  try {
    await installGateway(cluster);
    await cluster.until('the GatewayClass', async () => {
      const path = `/apis/gateway.networking.k8s.io/v1/gatewayclasses/${GATEWAY_CLASS}`;
      const { status } = await cluster.client.get<ClassStatus>(path);
      return status?.conditions?.some((one) => one.type === 'Accepted' && one.status === 'True');
    });
    for (const kind of RETIRED) {
      await cluster.kubectl(['annotate', 'crd', `${kind}.inference.networking.x-k8s.io`, `${BUNDLE_VERSION}-`]);
    }
    await cluster.apply(placeholder);
    if (picker === 'epp') await cluster.apply(eppRights);
    return cluster;
  } catch (error) {
    await cluster.close();
    throw error;
  }
}

/**
 * The suite waits for a ready pod in the namespace of its Gateways, where many implementations run the proxies. These run
 * in the namespace of the product.
 */
const placeholder: readonly object[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: GATEWAYS } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: GATEWAYS } },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'placeholder', namespace: GATEWAYS },
    spec: { automountServiceAccountToken: false, containers: [{ name: 'placeholder', image: PLACEHOLDER_IMAGE }] },
  },
];

/** What the Role of the suite's manifests does not allow: its own picker watches no such objects. */
const eppRights: readonly object[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: BACKENDS } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'epp', namespace: BACKENDS },
    rules: [{ apiGroups: ['inference.networking.x-k8s.io'], resources: RETIRED, verbs: ['get', 'list', 'watch'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'epp', namespace: BACKENDS },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: BACKENDS }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'epp' },
  },
];
