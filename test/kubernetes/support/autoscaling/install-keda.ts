import { join } from 'node:path';
import { toolPath } from '../../tools/tools-folder';
import type { Cluster } from '../cluster';
import type { Images } from '../kubelet/images';
import { selfSigned } from '../self-signed';

const NAMESPACE = 'keda';
const IMAGE = 'kedacore/keda';
const CERTIFICATES = 'kedaorg-certs';

/** KEDA's operator, with its Prometheus scaler alone. */
export const kedaImage = (): Images => ({
  [IMAGE]: { entrypoint: ['keda'], files: { '/usr/local/bin/keda': toolPath('keda') } },
});

/** Installs the operator with its own definitions and roles, and waits until it runs; without its metrics server and webhooks. */
export async function installKeda(cluster: Cluster): Promise<void> {
  const manifests = ['crd/bases', 'general/namespace.yaml', 'service_account/service_account.yaml'];
  const roles = ['rbac/role.yaml', 'rbac/role_binding.yaml'];
  const files = [...manifests, ...roles].flatMap((path) => ['-f', join(toolPath('keda-manifests'), path)]);
  await cluster.kubectl(['apply', '--server-side', ...files]);
  const { certificate, key } = await selfSigned(join(cluster.logs, 'keda'), ['keda-operator.keda.svc']);
  const metadata = { name: 'keda-operator', namespace: NAMESPACE };
  const labels = { app: 'keda-operator' };
  await cluster.apply([
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: CERTIFICATES, namespace: NAMESPACE },
      stringData: { 'ca.crt': certificate, 'tls.crt': certificate, 'tls.key': key },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: 'keda-operator',
            containers: [
              {
                name: 'keda-operator',
                image: `ghcr.io/${IMAGE}:2.21.0`,
                args: ['--zap-log-level=info', '--enable-cert-rotation=false'],
                env: [
                  { name: 'POD_NAMESPACE', value: NAMESPACE },
                  { name: 'WATCH_NAMESPACE', value: '' },
                ],
                readinessProbe: { httpGet: { path: '/readyz', port: 8081 } },
                volumeMounts: [{ name: 'certificates', mountPath: '/certs', readOnly: true }],
              },
            ],
            volumes: [{ name: 'certificates', secret: { secretName: CERTIFICATES } }],
          },
        },
      },
    },
  ]);
  await cluster.rolledOut(NAMESPACE, 'keda-operator');
}
