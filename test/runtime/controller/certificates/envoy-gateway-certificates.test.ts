import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { secretData } from '../../../../runtime/controller/certificates/authority-secret';
import { certificateFacts, isIssuedBy } from '../../../../runtime/controller/certificates/certificate-facts';
import { reconcileEnvoyGatewayCertificates } from '../../../../runtime/controller/certificates/envoy-gateway-certificates';
import { heldLeaf } from '../../../../runtime/controller/certificates/leaf-secret';
import { resourceOf } from '../../../../runtime/kubernetes/resources';
import { MemoryApi } from '../support/memory-api';
import { authority, DAY, leaf, NOW, serial } from './support/issuing';

const SECRETS = resourceOf('v1', 'Secret');
const PLACE = { namespace: 'system', clusterDomain: 'cluster.local' };
let api: MemoryApi;
beforeEach(() => {
  api = new MemoryApi();
});

const reconcile = (now = NOW) =>
  reconcileEnvoyGatewayCertificates(api, PLACE, {
    now,
    graceMs: 3_600_000,
    serial,
    signal: new AbortController().signal,
  });
const secret = (name: string) => api.cluster.get(SECRETS, name, 'system');
const certificate = (name: string) => certificateFacts(heldLeaf(secret(name)).certificate)!;

test('they are those that Envoy Gateway would generate: names, keys, hosts and label', async () => {
  expect((await reconcile()).problems).toEqual([]);
  const keys = (name: string) => Object.keys(secret(name)?.data as object).sort();
  for (const name of ['envoy-gateway', 'envoy', 'envoy-rate-limit']) {
    expect(secret(name)).toMatchObject({
      type: 'kubernetes.io/tls',
      metadata: { labels: { 'control-plane': 'envoy-gateway' } },
    });
    expect(keys(name)).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
    const trusted = certificateFacts(heldLeaf(secret(name)).trusted)!;
    expect(isIssuedBy(certificate(name), trusted)).toBe(true);
    expect(certificate(name)).toMatchObject({ isServer: true, isClient: true });
  }
  expect(certificate('envoy-gateway').dnsNames).toEqual([
    'envoy-gateway',
    'envoy-gateway.system',
    'envoy-gateway.system.svc',
    'envoy-gateway.system.svc.cluster.local',
  ]);
  expect(certificate('envoy').dnsNames).toEqual(['*.system']);
  expect(certificate('envoy-rate-limit').dnsNames).toEqual(['*.system']);
  expect(secret('envoy-oidc-hmac')).toMatchObject({ type: 'Opaque' });
  const { 'hmac-secret': hmac } = secret('envoy-oidc-hmac')!.data as { 'hmac-secret': string };
  expect(Buffer.from(hmac, 'base64')).toHaveLength(32);
});

test('the one that the pods of Envoy Gateway wait for is written last', async () => {
  await reconcile();
  expect(api.writes.at(-1)).toBe('apply Secret system/envoy-gateway');
  expect(api.writes).toHaveLength(5);
});

test('they are renewed; the key of cookies never changes', async () => {
  await reconcile();
  const before = [secret('envoy'), secret('envoy-oidc-hmac')].map((one) => one?.data);
  await reconcile(NOW + 200 * DAY);
  expect(secret('envoy')?.data).toEqual(before[0]);
  await reconcile(NOW + 250 * DAY);
  expect(secret('envoy')?.data).not.toEqual(before[0]);
  expect(secret('envoy-oidc-hmac')?.data).toEqual(before[1]);
});

describe("where some are somebody else's", () => {
  const theirs = (name: string, data: KubernetesObject['data']) =>
    api.cluster.put(SECRETS, {
      metadata: { name, namespace: 'system', labels: { 'control-plane': 'envoy-gateway' } },
      type: 'kubernetes.io/tls',
      data,
    });
  const valid = async (days: number) => {
    const issued = await leaf(await authority(), { notAfter: new Date(NOW + days * DAY) });
    return secretData({ 'tls.crt': issued.certificate, 'tls.key': issued.key });
  };

  test('all stay as they are', async () => {
    for (const name of ['envoy-gateway', 'envoy', 'envoy-rate-limit']) theirs(name, await valid(1800));
    expect((await reconcile()).problems).toEqual([]);
    expect(api.writes).toEqual([]);
  });

  test('missing ones are not made: another authority would have issued them', async () => {
    theirs('envoy-gateway', await valid(1800));
    const { problems } = await reconcile();
    expect(problems.map(({ reason, message }) => [reason, message.split(' is ')[0]])).toEqual([
      ['ControlPlaneCertificateMissing', 'Secret system/envoy'],
      ['ControlPlaneCertificateMissing', 'Secret system/envoy-rate-limit'],
    ]);
    expect(api.writes).toEqual([]);
  });

  test('who runs them is warned a month before they end, and told when they have ended', async () => {
    for (const name of ['envoy-gateway', 'envoy', 'envoy-rate-limit']) theirs(name, await valid(1800));
    theirs('envoy', await valid(20));
    expect((await reconcile()).problems).toEqual([
      {
        reason: 'ControlPlaneCertificateEnds',
        message: expect.stringMatching(/system\/envoy ends on 2030-01-21 .*certgen --overwrite/),
        blocks: false,
      },
    ]);
    expect((await reconcile(NOW + 21 * DAY)).problems).toMatchObject([{ condition: 'GatewayProgrammed' }]);
  });
});
