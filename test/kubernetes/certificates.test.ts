import type { V1Pod } from '@kubernetes/client-node';
import { authorityIn } from '../../runtime/controller/certificates/authority-secret';
import { certificatesIn } from '../../runtime/controller/certificates/certificate-facts';
import { reconcileEnvoyGatewayCertificates } from '../../runtime/controller/certificates/envoy-gateway-certificates';
import { heldLeaf } from '../../runtime/controller/certificates/leaf-secret';
import { serialNumber } from '../../runtime/controller/certificates/serial-number';
import { readSecret, writeSecret } from '../../runtime/controller/certificates/trust-secrets';
import type { HttpApiClient } from '../../runtime/kubernetes/http-api-client';
import { resourceOf } from '../../runtime/kubernetes/resources';
import { SERVER_IMAGE, serverObjects } from './harness/support/server';
import { connect } from './support/api-client';
import { type Cluster, startCluster } from './support/cluster';
import { installEnvoyGateway, SYSTEM_NAMESPACE } from './support/install-envoy-gateway';
import { standardImages } from './support/standard-images';

const namespace = SYSTEM_NAMESPACE;
const SECRETS = resourceOf('v1', 'Secret');
/** Here Secrets reach their pods within a second or two. Milliseconds. */
const GRACE_MS = 8_000;
const signal = new AbortController().signal;

let cluster: Cluster;
let api: HttpApiClient;

beforeAll(async () => {
  cluster = await startCluster({ images: { ...(await standardImages()), 'test/server': SERVER_IMAGE }, nodes: 2 });
  api = connect(cluster.access);
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
}, 120_000);
afterAll(async () => {
  await api?.close();
  await cluster?.close();
});

const reconcile = () =>
  reconcileEnvoyGatewayCertificates(
    api,
    { namespace, clusterDomain: 'cluster.local' },
    { now: Date.now(), graceMs: GRACE_MS, serial: serialNumber, signal },
  );
const secret = async (name: string) => (await api.get(SECRETS, name, namespace))!;
const authority = async () => authorityIn(await secret('envoy-gateway-authority'))!;

describe('Secrets at the API server', () => {
  const wanted = (name: string, data: Readonly<Record<string, string>>) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: { of: 'test' } },
    type: 'Opaque',
    data,
  });

  test('one that somebody else has just made is not overwritten', async () => {
    await api.create(SECRETS, wanted('raced', { a: 'dGhlaXJz' }));
    await expect(writeSecret(api, wanted('raced', { a: 'b3Vycw==' }), undefined, signal)).rejects.toMatchObject({
      code: 409,
    });
    expect((await secret('raced')).data).toEqual({ a: 'dGhlaXJz' });
  });

  test('one that has changed since it was read is not overwritten', async () => {
    const read = await writeSecret(api, wanted('changed', { a: 'MQ==' }), undefined, signal);
    await writeSecret(api, wanted('changed', { a: 'Mg==' }), read, signal);
    await expect(writeSecret(api, wanted('changed', { a: 'Mw==' }), read, signal)).rejects.toMatchObject({ code: 409 });
    expect((await secret('changed')).data).toEqual({ a: 'Mg==' });
  });

  test('what is no longer wanted goes, also where somebody else has made the Secret', async () => {
    await api.create(SECRETS, wanted('adopted', { a: 'MQ==', theirs: 'MQ==' }));
    let present = await readSecret(api, wanted('adopted', {}), signal);
    await writeSecret(api, wanted('adopted', { a: 'Mg==', b: 'Mg==' }), present, signal);
    present = await readSecret(api, wanted('adopted', {}), signal);
    await writeSecret(api, wanted('adopted', { a: 'Mw==' }), present, signal);
    expect((await secret('adopted')).data).toEqual({ a: 'Mw==', theirs: 'MQ==' });
  });
});

test('Envoy Gateway and its Envoys run with the certificates of the controller', async () => {
  expect((await reconcile()).problems).toEqual([]);
  await installEnvoyGateway(cluster);
  await cluster.apply(serverObjects('server'));
  await cluster.apply(gatewayObjects());
  await serves('/first');
}, 180_000);

test('Envoys have certificates alone, and no token of the API server', () => {
  const envoys = pods(isEnvoy);
  expect(envoys).toHaveLength(1);
  const [{ spec }] = envoys as [V1Pod];
  expect(spec?.volumes?.filter(({ projected }) => projected?.sources?.some((one) => one.serviceAccountToken))).toEqual(
    [],
  );
  expect(spec?.automountServiceAccountToken).toBe(false);
});

test('the authority is replaced while all goes on; nothing is restarted', async () => {
  const before = await envoyPods();
  const old = (await authority()).signer.certificate;
  // Its key is lost: there must be another one.
  const { data, ...present } = await secret('envoy-gateway-authority');
  const { 'tls.key': _, ...rest } = data as Record<string, string>;
  await api.replace(SECRETS, { ...present, data: rest });

  await cluster.until(
    'the new authority alone is trusted',
    async () => {
      await reconcile();
      const { signer, next, former } = await authority();
      return signer.certificate !== old && next === undefined && former.length === 0;
    },
    { timeout: 60_000, every: 1_000 },
  );
  for (const name of ['envoy', 'envoy-gateway']) {
    expect(certificatesIn(heldLeaf(await secret(name)).trusted)).toEqual([(await authority()).signer.certificate]);
  }
  await route('/second');
  await serves('/second');

  // A connection that is open already shows nothing: now both must show and trust the new ones.
  const [gateway] = pods((pod) => pod.metadata!.name!.startsWith('envoy-gateway-'));
  await cluster.kubelet.killContainer(namespace, gateway!.metadata!.name!, 'envoy-gateway', 'SIGKILL');
  await route('/third');
  await serves('/third');
  expect(await envoyPods()).toEqual(before);
}, 180_000);

function gatewayObjects(): readonly object[] {
  const gatewayApi = 'gateway.networking.k8s.io/v1';
  return [
    {
      apiVersion: gatewayApi,
      kind: 'GatewayClass',
      metadata: { name: 'test' },
      spec: { controllerName: 'gateway.envoyproxy.io/gatewayclass-controller' },
    },
    {
      apiVersion: gatewayApi,
      kind: 'Gateway',
      metadata: { name: 'gateway', namespace },
      spec: {
        gatewayClassName: 'test',
        listeners: [{ name: 'http', port: 80, protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } }],
      },
    },
    routeObject('/first'),
  ];
}

function routeObject(path: string): object {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'server', namespace: 'default' },
    spec: {
      parentRefs: [{ name: 'gateway', namespace }],
      rules: [{ matches: [{ path: { type: 'Exact', value: path } }], backendRefs: [{ name: 'server', port: 80 }] }],
    },
  };
}

async function route(path: string): Promise<void> {
  await cluster.apply(routeObject(path));
}

/** Envoy has been told of the path. */
async function serves(path: string): Promise<void> {
  interface Gateway {
    readonly status?: { readonly addresses?: readonly { readonly value: string }[] };
  }
  await cluster.until(
    `200 on ${path}`,
    async () => {
      const url = `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/gateways/gateway`;
      const { status } = await cluster.client.get<Gateway>(url);
      const answer = await fetch(`http://${status!.addresses![0]!.value}${path}`);
      return answer.status === 200;
    },
    { timeout: 90_000 },
  );
}

function pods(wanted: (pod: V1Pod) => boolean): V1Pod[] {
  return cluster.pods.list().filter((pod) => pod.metadata?.namespace === namespace && wanted(pod));
}

function isEnvoy({ metadata }: V1Pod): boolean {
  return metadata?.labels?.['gateway.envoyproxy.io/owning-gateway-name'] === 'gateway';
}

/** Name and restarts of each container. */
async function envoyPods(): Promise<unknown> {
  const gateways = pods(isEnvoy);
  expect(gateways).toHaveLength(1);
  return gateways.map(({ metadata, status }) => ({
    uid: metadata?.uid,
    restarts: status?.containerStatuses?.map(({ name, restartCount }) => [name, restartCount]),
  }));
}
