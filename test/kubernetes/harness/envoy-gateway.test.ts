import { join } from 'node:path';
import type { V1Deployment } from '@kubernetes/client-node';
import { Agent, request } from 'undici';
import { type Cluster, startCluster } from '../support/cluster';
import { installEnvoyGateway, SYSTEM_NAMESPACE } from '../support/install-envoy-gateway';
import { startLoad } from '../support/load';
import { selfSigned } from '../support/self-signed';
import { standardImages } from '../support/standard-images';
import { SERVER_IMAGE, serverObjects } from './support/server';

let cluster: Cluster;
let ca: string;

const HOST = 'gateway.example';
const namespace = SYSTEM_NAMESPACE;

beforeAll(async () => {
  cluster = await startCluster({ images: { ...(await standardImages()), 'test/server': SERVER_IMAGE }, nodes: 2 });
  await installEnvoyGateway(cluster);
  const certificate = await selfSigned(join(cluster.logs, 'gateway'), [HOST, '203.0.113.1']);
  ca = certificate.certificate;
  await cluster.apply(serverObjects('server', { replicas: 2 }));
  await cluster.apply(gatewayObjects(certificate));
});
afterAll(() => cluster?.close());

const gatewayObjects = ({ certificate, key }: { certificate: string; key: string }) => [
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: { name: 'test' },
    spec: { controllerName: 'gateway.envoyproxy.io/gatewayclass-controller' },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: 'gateway-tls', namespace },
    stringData: { 'tls.crt': certificate, 'tls.key': key },
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name: 'gateway', namespace },
    spec: {
      gatewayClassName: 'test',
      listeners: [
        {
          ...{ name: 'https', port: 443, protocol: 'HTTPS', allowedRoutes: { namespaces: { from: 'All' } } },
          tls: { certificateRefs: [{ name: 'gateway-tls' }] },
        },
      ],
    },
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'server', namespace: 'default' },
    spec: {
      parentRefs: [{ name: 'gateway', namespace }],
      rules: [{ backendRefs: [{ name: 'server', port: 80 }] }],
    },
  },
];

const envoy = async (): Promise<V1Deployment> => {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const { items } = await cluster.client.get<{ items: V1Deployment[] }>(path);
  return items.find(({ metadata }) => metadata?.labels?.['gateway.envoyproxy.io/owning-gateway-name'] === 'gateway')!;
};
const address = () =>
  cluster.until('address of the Gateway', async () => {
    const path = `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/gateways/gateway`;
    interface Gateway {
      status?: { addresses?: { value: string }[]; conditions?: { type: string; status: string }[] };
    }
    const { status } = await cluster.client.get<Gateway>(path);
    const programmed = status?.conditions?.some((one) => one.type === 'Programmed' && one.status === 'True');
    return programmed && status?.addresses?.[0]?.value;
  });

test('Envoy Gateway deploys an Envoy that serves a Service over HTTPS', async () => {
  const url = `https://${await address()}/`;
  const agent = new Agent({ connect: { ca } });
  const answer = await cluster.until('200', async () => {
    const { statusCode, body } = await request(url, { dispatcher: agent });
    const text = await body.text();
    return statusCode === 200 && text;
  });
  await agent.close();

  expect(answer).toMatch(/^server-/);
  expect((await envoy()).spec?.template.spec?.containers.map(({ name }) => name)).toEqual([
    'envoy',
    'shutdown-manager',
  ]);
});

test('an Envoy that is rolled under load drains first', async () => {
  const url = `https://${await address()}/?wait=100`;
  const { metadata } = await envoy();
  const from = Date.now();
  const old = cluster.pods.list().find((pod) => pod.metadata?.name?.startsWith(`${metadata!.name}-`))!;
  const load = startLoad({ url, ca, perSecond: 50 });
  await cluster.kubectl(['rollout', 'restart', `deployment/${metadata!.name}`, '-n', namespace]);
  await cluster.rolledOut(namespace, metadata!.name!);
  await cluster.until('old pod', () => cluster.pods.get(`${namespace}/${old.metadata!.name}`) === undefined, {
    timeout: 90_000,
  });
  const result = await load.stop();
  const seconds = ((Date.now() - from) / 1000).toFixed(1);
  console.log(`Envoy rolled at 50 requests/s, the old one gone after ${seconds} s: ${JSON.stringify(result)}`);

  expect(result.failures).toEqual({});
});
