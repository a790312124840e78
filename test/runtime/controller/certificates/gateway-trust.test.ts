import { gatewayTrust } from '../../../../runtime/controller/certificates/gateway-trust';
import { gateway, INSTALLATION } from './support/gateway';

const ACM = 'arn:aws:acm:us-west-2:111122223333:certificate/1';
const domain = gatewayTrust(gateway(), INSTALLATION);

test('Envoys connect, routers serve and connect, pickers serve', () => {
  expect(
    domain.leaves.map(({ secret, usages, dnsNames }) => [
      secret.metadata.namespace,
      secret.metadata.name,
      usages,
      dnsNames,
    ]),
  ).toEqual([
    ['system', 'gw-envoy-cert', ['client'], []],
    ['system', 'gw-bbr-cert', ['server', 'client'], ['gw-bbr.system.svc', 'gw-bbr.system.svc.cluster.local']],
    ['models', 'gw-epp-cert', ['server'], ['*.models.svc', '*.models.svc.cluster.local']],
  ]);
});

test("the authority with its key is in the system namespace, and is nobody else's by its name", () => {
  expect(domain.authority).toMatchObject({
    metadata: { namespace: 'system', name: 'gw-internal-authority' },
    type: 'Opaque',
  });
});

test('all have the labels of the gateway; those beside the config go with it', () => {
  for (const { metadata } of [domain.authority, ...domain.leaves.map(({ secret }) => secret)]) {
    expect(metadata.labels).toMatchObject({
      'app.kubernetes.io/managed-by': 'inference-gateway-controller',
      'inference.sagemaker.aws.amazon.com/gateway': 'gw',
      'inference.sagemaker.aws.amazon.com/gateway-namespace': 'models',
    });
    expect(metadata.ownerReferences?.[0]?.uid).toBe(metadata.namespace === 'models' ? 'uid-1' : undefined);
  }
});

test('behind a load balancer with a certificate of its own Envoy serves one of these', () => {
  const { leaves } = gatewayTrust(gateway({ tls: { acmArn: ACM } }), INSTALLATION);
  expect(leaves).toHaveLength(4);
  expect(leaves[3]).toMatchObject({
    secret: { metadata: { namespace: 'system', name: 'gw-tls' }, type: 'kubernetes.io/tls' },
    usages: ['server'],
    dnsNames: ['gw-envoy.system.svc', 'gw-envoy.system.svc.cluster.local', 'gw-envoy.system'],
  });
});
