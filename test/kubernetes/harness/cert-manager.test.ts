import { X509Certificate } from 'node:crypto';
import type { V1Secret } from '@kubernetes/client-node';
import { type Cluster, startCluster } from '../support/cluster';
import { installCertManager } from '../support/install-cert-manager';
import { standardImages } from '../support/standard-images';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ images: await standardImages() });
  await installCertManager(cluster);
});
afterAll(() => cluster?.close());

test('cert-manager issues a certificate of an authority that it made itself', async () => {
  const kind = (kind: string, name: string, spec: object) => ({
    ...{ apiVersion: 'cert-manager.io/v1', kind, metadata: { name, namespace: 'default' }, spec },
  });
  await cluster.apply([
    kind('Issuer', 'self', { selfSigned: {} }),
    kind('Certificate', 'authority', {
      ...{ isCA: true, commonName: 'authority', secretName: 'authority' },
      issuerRef: { name: 'self' },
    }),
    kind('Issuer', 'authority', { ca: { secretName: 'authority' } }),
    kind('Certificate', 'leaf', {
      ...{ secretName: 'leaf', dnsNames: ['gateway.example'] },
      issuerRef: { name: 'authority' },
    }),
  ]);
  const { data } = await cluster.until('certificate', () =>
    cluster.client.find<V1Secret>('/api/v1/namespaces/default/secrets/leaf'),
  );
  const [leaf, ca] = ['tls.crt', 'ca.crt'].map((key) => new X509Certificate(Buffer.from(data![key]!, 'base64')));

  expect(leaf!.checkHost('gateway.example')).toBe('gateway.example');
  expect(leaf!.verify(ca!.publicKey)).toBe(true);
});
