import { toolPath } from '../tools/tools-folder';
import type { Cluster } from './cluster';
import type { Images } from './kubelet/images';

const NAMESPACE = 'cert-manager';
const IMAGE = 'jetstack/cert-manager-controller';

/** The real controllers of cert-manager for Issuers and Certificates; without its webhook. Part of the standard images. */
export const certManagerImage = (): Images => ({
  [IMAGE]: { entrypoint: ['cert-manager'], files: { '/usr/local/bin/cert-manager': toolPath('cert-manager') } },
});

/** Installs them, with all rights, and waits until they run. */
export async function installCertManager(cluster: Cluster): Promise<void> {
  await cluster.kubectl(['apply', '--server-side', '-f', toolPath('cert-manager-crds')]);
  const metadata = { name: 'cert-manager', namespace: NAMESPACE };
  const labels = { app: 'cert-manager' };
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'cert-manager' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { serviceAccountName: 'cert-manager', containers: [{ name: 'cert-manager', image: `${IMAGE}:v1` }] },
        },
      },
    },
  ]);
  await cluster.rolledOut(NAMESPACE, 'cert-manager');
}
