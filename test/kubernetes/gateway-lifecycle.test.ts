import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod, V1Service } from '@kubernetes/client-node';
import type { Cluster } from './support/cluster';
import { startClusterWithGateway } from './support/cluster-with-gateway';
import { gatewayConfig } from './support/gateway-config';
import { SYSTEM_NAMESPACE } from './support/install-gateway';

/* With Envoy Gateway and cert-manager, which write what the controller has made too: nobody fights, and all of it goes. */

const QUICKSTART = join(__dirname, '..', '..', 'examples', 'kubernetes', 'quickstart.yaml');
const SERVICES = `/api/v1/namespaces/${SYSTEM_NAMESPACE}/services`;

let cluster: Cluster;
let config: ReturnType<typeof gatewayConfig>;

beforeAll(async () => {
  cluster = await startClusterWithGateway();
  await cluster.kubectl(['apply', '-f', QUICKSTART]);
  config = gatewayConfig(cluster, 'models', 'quickstart');
  await config.untilCondition('Ready', 'True', 180_000);
}, 400_000);
afterAll(() => cluster?.close());

/** Objects that the controller has written so far, by kind. */
async function writes(): Promise<string[]> {
  const { items } = await cluster.client.get<{ items: V1Pod[] }>(`/api/v1/namespaces/${SYSTEM_NAMESPACE}/pods`);
  const ips = items
    .filter(({ metadata }) => metadata?.labels?.['app.kubernetes.io/component'] === 'controller')
    .map(({ status }) => status?.podIP);
  const pages = await Promise.all(ips.map(async (ip) => (await fetch(`http://${ip}:9090/metrics`)).text()));
  return pages
    .flatMap((page) => [...page.matchAll(/^inference_gateway_controller_(?:applies|prunes)_total.*$/gm)])
    .map(([line]) => line);
}

test('once it is set up nothing is written any more', async () => {
  await cluster.until(
    'quiet',
    async () => {
      const before = await writes();
      await sleep(10_000);
      const after = await writes();
      if (JSON.stringify(after) !== JSON.stringify(before))
        throw new Error(after.filter((line) => !before.includes(line)).join(', '));
      return true;
    },
    { timeout: 60_000 },
  );
}, 90_000);

test('a Service whose load balancer is not cleaned up holds everything else back, and it is said', async () => {
  const service = `${SERVICES}/quickstart-envoy`;
  await cluster.client.merge(service, { metadata: { finalizers: ['example.com/load-balancer'] } });
  await cluster.client.delete(config.path);

  await cluster.until('it is said', async () => (await config.condition('Ready'))?.reason === 'DeletingLoadBalancer');
  await sleep(2_000);
  const { metadata } = await cluster.client.get<V1Service>(service);
  expect(metadata?.deletionTimestamp).toBeDefined();
  expect(await cluster.client.find(`${SERVICES}/quickstart-bbr`)).toBeDefined();

  await cluster.client.merge(service, { metadata: { finalizers: null } });
  await cluster.until('the config is gone', async () => (await cluster.client.find(config.path)) === undefined, {
    timeout: 60_000,
  });
}, 90_000);

test('nothing of it is left, Envoys included', async () => {
  const left = async () => {
    const lists = [
      'deployments',
      'services',
      'configmaps',
      'secrets',
      'serviceaccounts',
      'roles',
      'gateways',
      'envoyproxies',
      'httproutes',
    ];
    const text = await cluster.kubectl([
      'get',
      lists.join(','),
      '-A',
      '-o',
      'name',
      '-l',
      'inference.sagemaker.aws.amazon.com/gateway=quickstart',
    ]);
    return text
      .trim()
      .split('\n')
      .filter((line) => line !== '');
  };

  await cluster.until(
    'all is gone',
    async () => {
      const names = await left();
      if (names.length > 0) throw new Error(names.join(', '));
      return true;
    },
    { timeout: 60_000, every: 1_000 },
  );
}, 90_000);
