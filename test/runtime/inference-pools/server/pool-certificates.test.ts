import type { experimental } from '@grpc/grpc-js';
import { pino } from 'pino';
import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { followPoolCertificates } from '../../../../runtime/inference-pools/server/pool-certificates';
import { ApiBench } from '../support/api-bench';

let bench: ApiBench;
beforeEach(async () => {
  bench = await ApiBench.open();
});
afterEach(() => bench.close());

/** Of a generation: what it holds says of which. */
function secret(name: string, generation: string, without?: string): KubernetesObject {
  const text = { 'tls.crt': `${name} ${generation}`, 'tls.key': `key ${generation}`, 'ca.crt': `ca ${generation}` };
  const held = Object.entries(text).filter(([key]) => key !== without);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'system' },
    data: Object.fromEntries(held.map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  };
}

const [SERVER, ENVOY] = ['inference-pools-server', 'inference-pools-envoy'];

function follow() {
  const certificates = followPoolCertificates({ ...bench.options, namespace: 'system' });
  let isReady = false;
  certificates.ready.then(
    () => {
      isReady = true;
    },
    () => {},
  );
  return { ...certificates, isReady: () => isReady };
}

function heard({ provider }: { readonly provider: experimental.CertificateProvider }) {
  const identities: string[] = [];
  const authorities: string[] = [];
  const onIdentity: experimental.IdentityCertificateUpdateListener = (update) =>
    void identities.push(String(update?.certificate));
  const onAuthority: experimental.CaCertificateUpdateListener = (update) =>
    void authorities.push(String(update?.caCertificate));
  provider.addIdentityCertificateListener(onIdentity);
  provider.addCaCertificateListener(onAuthority);
  const stop = () => {
    provider.removeIdentityCertificateListener(onIdentity);
    provider.removeCaCertificateListener(onAuthority);
  };
  return { identities, authorities, stop };
}

test('it is ready once both are there, with all that they need', async () => {
  const certificates = follow();
  bench.put(secret(SERVER, '1'), secret(ENVOY, '1', 'ca.crt'));
  await bench.settled();
  expect(certificates.isReady()).toBe(false);
  expect(() => certificates.forEnvoys()).toThrow('Secret system/inference-pools-envoy has no certificate');

  bench.put(secret(ENVOY, '1'));

  await bench.until('it is ready', certificates.isReady);
  expect(certificates.forEnvoys()).toEqual({ certificate: `${ENVOY} 1`, key: 'key 1', ca: 'ca 1' });
});

describe.each(['tls.crt', 'tls.key', 'ca.crt'])('without %s it is not', (without) => {
  test.each([
    ['of the server', [secret(SERVER, '1', without), secret(ENVOY, '1')]],
    ['of Envoys', [secret(SERVER, '1'), secret(ENVOY, '1', without)]],
  ])('%s', async (_, secrets) => {
    const certificates = follow();
    bench.put(...secrets);
    await bench.settled();

    expect(certificates.isReady()).toBe(false);
  });
});

test('of other Secrets nothing is asked', async () => {
  follow();
  await bench.until('both are watched', () => bench.server.openWatches() === 2);

  const asked = bench.server.requests.map(({ path, query }) => `${path} ${query.get('fieldSelector')}`);
  expect(new Set(asked)).toEqual(
    new Set([SERVER, ENVOY].map((name) => `/api/v1/namespaces/system/secrets metadata.name=${name}`)),
  );
});

test('who listens is told what there is, and what comes', async () => {
  bench.put(secret(SERVER, '1'), secret(ENVOY, '1'));
  const certificates = follow();
  await bench.until('it is ready', certificates.isReady);

  const { identities, authorities } = heard(certificates);
  await bench.until('it is told', () => identities.length > 0 && authorities.length > 0);
  bench.put(secret(SERVER, '2'), secret(ENVOY, '2'));
  await bench.until('the next is told', () => identities.at(-1) === `${SERVER} 2` && authorities.at(-1) === 'ca 2');

  expect([identities[0], authorities[0]]).toEqual([`${SERVER} 1`, 'ca 1']);
  await bench.until('Envoys get the next', () => certificates.forEnvoys().certificate === `${ENVOY} 2`);
});

test('that Envoys have a certificate of a former authority is told, once', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => lines.push((JSON.parse(line) as { msg: string }).msg) });
  bench.put(secret(SERVER, '1'), secret(ENVOY, '1'));
  const certificates = followPoolCertificates({ ...bench.options, namespace: 'system', log });
  await certificates.ready;
  expect(lines).toEqual([]);

  bench.put(secret(SERVER, '2'), secret(ENVOY, '2'));
  await bench.until('Envoys get the next', () => certificates.forEnvoys().certificate === `${ENVOY} 2`);

  expect(lines).toEqual([expect.stringContaining('kubectl rollout restart deployment/envoy-gateway')]);
});

test('who listens no more is told nothing more', async () => {
  bench.put(secret(SERVER, '1'), secret(ENVOY, '1'));
  const certificates = follow();
  await bench.until('it is ready', certificates.isReady);
  const { identities, authorities, stop } = heard(certificates);
  await bench.until('it is told', () => identities.length > 0 && authorities.length > 0);

  stop();
  bench.put(secret(SERVER, '2'));
  await bench.settled();

  expect([identities.at(-1), authorities.at(-1)]).toEqual([`${SERVER} 1`, 'ca 1']);
});

test('what holds stays when a Secret is gone for a moment', async () => {
  bench.put(secret(SERVER, '1'), secret(ENVOY, '1'));
  const certificates = follow();
  await bench.until('it is ready', certificates.isReady);
  const { identities } = heard(certificates);
  await bench.until('it is told', () => identities.length > 0);

  bench.remove(secret(SERVER, '1'));
  bench.remove(secret(ENVOY, '1'));
  await bench.settled();

  expect(new Set(identities)).toEqual(new Set([`${SERVER} 1`]));
  expect(certificates.forEnvoys().certificate).toBe(`${ENVOY} 1`);
});

test('it is not waited for any longer than the process lives', async () => {
  const certificates = followPoolCertificates({ ...bench.options, namespace: 'system' });
  bench.stop.abort(new Error('it ends'));
  await expect(certificates.ready).rejects.toThrow('it ends');
});

test('nor is it where that had ended before', async () => {
  bench.stop.abort(new Error('it has ended'));
  const certificates = followPoolCertificates({ ...bench.options, namespace: 'system' });
  await expect(certificates.ready).rejects.toThrow('it has ended');
});
