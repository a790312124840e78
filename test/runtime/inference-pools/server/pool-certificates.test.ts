import type { experimental } from '@grpc/grpc-js';
import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { INFERENCE_POOL_SECRETS } from '../../../../lib/translate/cluster/names';
import { followPoolCertificates, type PoolCertificates } from '../../../../runtime/inference-pools/server/pool-certificates';
import { ApiBench } from '../support/api-bench';

let bench: ApiBench;
let certificates: PoolCertificates;
let ready: 'not yet' | 'ready' | Error;
beforeEach(async () => {
  bench = await ApiBench.open();
  follow();
});
afterEach(() => bench.close());

function follow(): void {
  certificates = followPoolCertificates({ ...bench.options, namespace: 'system' });
  ready = 'not yet';
  certificates.ready.then(
    () => {
      ready = 'ready';
    },
    (reason: Error) => {
      ready = reason;
    },
  );
}

/** What the leader writes; each text tells which. */
function secret(name: string, text: string, missing?: string): KubernetesObject {
  const data = Object.fromEntries(
    ['tls.crt', 'tls.key', 'ca.crt']
      .filter((key) => key !== missing)
      .map((key) => [key, Buffer.from(`${key} ${text}`).toString('base64')]),
  );
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'system' }, data };
}
const ofServer = (text: string, missing?: string) => secret(INFERENCE_POOL_SECRETS.server, text, missing);
const ofEnvoy = (text: string, missing?: string) => secret(INFERENCE_POOL_SECRETS.envoy, text, missing);

/** What the server is told, in order: `AUTHORITY`, `CERTIFICATE + KEY`. */
function listen() {
  const told: string[] = [];
  const onAuthority: experimental.CaCertificateUpdateListener = (update) =>
    told.push(String(update?.caCertificate));
  const onIdentity: experimental.IdentityCertificateUpdateListener = (update) =>
    told.push(`${update?.certificate} + ${update?.privateKey}`);
  certificates.provider.addCaCertificateListener(onAuthority);
  certificates.provider.addIdentityCertificateListener(onIdentity);
  const stop = () => {
    certificates.provider.removeCaCertificateListener(onAuthority);
    certificates.provider.removeIdentityCertificateListener(onIdentity);
  };
  return { told, stop };
}
const toldOf = (text: string) => [`ca.crt ${text}`, `tls.crt ${text} + tls.key ${text}`];

async function made(): Promise<void> {
  bench.put(ofServer('1'), ofEnvoy('1'));
  await bench.until('all is there', () => ready === 'ready');
}

test('all is ready once the leader has made both', async () => {
  bench.put(ofServer('1'));
  await bench.settled();
  expect(ready).toBe('not yet');
  expect(() => certificates.forEnvoys()).toThrow('Secret system/inference-pools-envoy has no certificate');

  bench.put(ofEnvoy('1'));
  await bench.until('all is there', () => ready === 'ready');
  expect(certificates.forEnvoys()).toEqual({ certificate: 'tls.crt 1', key: 'tls.key 1', ca: 'ca.crt 1' });
});

test.each(['tls.crt', 'tls.key', 'ca.crt'])('one that has no %s is not there', async (missing) => {
  bench.put(ofServer('1', missing), ofEnvoy('1'));
  await bench.settled();
  expect(ready).toBe('not yet');

  bench.put(ofServer('1'), ofEnvoy('1', missing));
  await bench.settled();
  expect(ready).toBe('not yet');
});

test('a server that begins later is told what there is', async () => {
  await made();

  const { told } = listen();
  await new Promise(setImmediate);

  expect(told).toEqual(toldOf('1'));
});

test('a server that began before is told when it is there', async () => {
  const { told } = listen();

  await made();

  expect(told).toEqual(toldOf('1'));
});

test('what is made anew reaches the server, and Envoys', async () => {
  await made();
  const { told } = listen();
  await new Promise(setImmediate);
  told.length = 0;

  bench.put(ofServer('2'));
  await bench.until('the new one is told', () => told.length > 0);
  expect(told).toEqual(toldOf('2'));

  bench.put(ofEnvoy('2'));
  await bench.until('Envoys get the new one', () => certificates.forEnvoys().key === 'tls.key 2');
});

test('a server that has ended is told nothing more', async () => {
  await made();
  const { told, stop } = listen();
  await new Promise(setImmediate);
  told.length = 0;

  stop();
  bench.put(ofServer('2'));
  await bench.settled();

  expect(told).toEqual([]);
});

test('when a Secret is gone the server goes on with what it has, and Envoys get nothing new', async () => {
  await made();
  const { told } = listen();
  await new Promise(setImmediate);

  bench.remove(ofServer('1'));
  bench.remove(ofEnvoy('1'));
  await bench.settled();

  expect(told).toEqual(toldOf('1'));
  expect(() => certificates.forEnvoys()).toThrow('has no certificate');
});

test('of other Secrets nothing is asked', async () => {
  await made();

  const asked = bench.server.requests.map(({ path, query }) => `${path} ${query.get('fieldSelector')}`);
  const expected = ['server', 'envoy'].map(
    (part) => `/api/v1/namespaces/system/secrets metadata.name=inference-pools-${part}`,
  );
  expect(new Set(asked)).toEqual(new Set(expected));
});

describe('with the signal', () => {
  test('nobody waits any more', async () => {
    bench.stop.abort(new Error('the end'));

    await bench.until('nobody waits', () => ready !== 'not yet');
    expect(ready).toEqual(new Error('the end'));
  });

  test('nobody begins to wait', async () => {
    bench.stop.abort(new Error('the end'));
    follow();

    await bench.until('nobody waits', () => ready !== 'not yet');
    expect(ready).toEqual(new Error('the end'));
  });
});
