import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1ConfigMap, V1Pod } from '@kubernetes/client-node';
import { version } from '../../package.json';
import { type ChatLoadResult, startChatLoad } from './support/chat-load';
import { type Cluster, startCluster } from './support/cluster';
import { documentedCommands, typed } from './support/documented-commands';
import { gatewayConfig } from './support/gateway-config';
import { installCertManager } from './support/install-cert-manager';
import { SYSTEM_NAMESPACE } from './support/install-gateway';
import { makeRelease, NEW_FIELD, type Release } from './support/release';
import { ROOT, standardImages } from './support/standard-images';

/* The commands of docs/install.md, with the real helm, from this version to another and back, under load. */

const PAGE = 'docs/install.md';
const CRD =
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/inferencegatewayconfigs.inference.sagemaker.aws.amazon.com';
const PER_SECOND = 25;
/** A stream of some seconds each second. */
const LONG = { every: PER_SECOND, tokens: 400 };
const NEXT = '99.0.0';
/** The images of all parts, by this version's chart and by the other's. */
const TAGS = {
  [version]: { gateway: version, envoyGateway: 'v1.9.1', envoy: 'distroless-v1.39.1' },
  [NEXT]: { gateway: NEXT, envoyGateway: 'v1.9.99', envoy: 'distroless-v1.39.99' },
};

/** What the documented change of values makes of the pods. */
const CHANGED = { controllers: 3, pullPolicy: 'Always' };

let next: Release;
let cluster: Cluster;
let ca: string;
let config: ReturnType<typeof gatewayConfig>;

beforeAll(async () => {
  next = await makeRelease(NEXT, {
    'tag: v1.9.1': `tag: ${TAGS[NEXT]!.envoyGateway}`,
    'tag: distroless-v1.39.1': `tag: ${TAGS[NEXT]!.envoy}`,
  });
  const images = { ...(await standardImages()), [`inference-gateway:${NEXT}`]: next.image };
  cluster = await startCluster({ images, nodes: 2 });
  await installCertManager(cluster);
  await typed(cluster, ROOT, (await documentedCommands(PAGE, 'Helm'))[0]!);
  const quickstart = await readFile(join(ROOT, 'examples', 'kubernetes', 'quickstart.yaml'), 'utf8');
  await cluster.apply(
    quickstart.replace('- --profile=llama-8b-a10g', '- --profile=llama-8b-a10g\n            - --speed=2'),
  );
  config = gatewayConfig(cluster, 'models', 'quickstart');
  await config.untilCondition('Ready', 'True', 180_000);
  const { data } = await cluster.client.get<V1ConfigMap>('/api/v1/namespaces/models/configmaps/quickstart-ca');
  ca = data!['ca.crt']!;
}, 300_000);
afterAll(() => cluster?.close());

/** Does something while requests are sent. Of those none is lost. */
async function underLoad(action: () => Promise<void>): Promise<void> {
  const url = `https://quickstart-envoy.${SYSTEM_NAMESPACE}.svc`;
  const load = startChatLoad({ url, ca, model: 'llama-3.1-8b', perSecond: PER_SECOND, long: LONG });
  await sleep(1_000);
  let result: ChatLoadResult | undefined;
  try {
    await action();
    await sleep(2_000);
  } finally {
    result = await load.stop();
    console.log(`${expect.getState().currentTestName}: ${JSON.stringify(result)}`);
  }
  expect(result.failures).toEqual([]);
  expect(result.ok).toBe(result.sent);
}

const isReady = ({ status }: V1Pod) =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

interface Parts {
  readonly controllers?: number;
  readonly pullPolicy?: string;
}

/** Waits until all pods of the gateway are those of this version, and of its values, with none on its way out. */
async function untilRunning(of: keyof typeof TAGS, parts: Parts = {}): Promise<void> {
  const { controllers = 2, pullPolicy = 'IfNotPresent' } = parts;
  const { gateway, envoyGateway, envoy } = TAGS[of]!;
  const wanted: Readonly<Record<string, readonly [count: number, tag: string, pullPolicy?: string]>> = {
    controller: [controllers, gateway, pullPolicy],
    'envoy-gateway': [2, envoyGateway, pullPolicy],
    router: [2, gateway, pullPolicy],
    picker: [2, gateway, pullPolicy],
    envoy: [2, envoy],
  };
  await cluster.until(
    `only pods of ${of}`,
    () => {
      for (const [name, [count, tag, policy]] of Object.entries(wanted)) {
        const own = cluster.pods.list().flatMap((pod) => {
          const container = pod.spec!.containers.find((one) => one.name === name);
          return container === undefined ? [] : [{ pod, container }];
        });
        const good = own.filter(
          ({ pod, container }) =>
            isReady(pod) &&
            container.image!.endsWith(`:${tag}`) &&
            (policy === undefined || container.imagePullPolicy === policy),
        );
        if (own.length !== count || good.length !== count) throw new Error(`${name}: ${good.length} of ${own.length}`);
      }
      return true;
    },
    { timeout: 180_000 },
  );
  await config.untilCondition('Ready', 'True');
  await expect(pickers()).resolves.toHaveLength(1);
}

async function pickers(): Promise<readonly string[]> {
  const names = await cluster.kubectl([
    ...['-n', 'models', 'get', 'deployments', '-o', 'name'],
    ...['-l', 'app.kubernetes.io/component=picker'],
  ]);
  return names.trim().split('\n');
}

const crd = () =>
  cluster.client.get<{
    metadata: { annotations: Record<string, string> };
    spec: { versions: [{ schema: { openAPIV3Schema: { properties: { spec: { properties: object } } } } }] };
  }>(CRD);

async function expectNewCrd(): Promise<void> {
  const { metadata, spec } = await crd();
  expect(metadata.annotations['inference.sagemaker.aws.amazon.com/crd-release']).toBe(`v${NEXT}`);
  expect(spec.versions[0].schema.openAPIV3Schema.properties.spec.properties).toHaveProperty(NEW_FIELD);
}

test('other values roll what they are about, and no request is lost', async () => {
  await untilRunning(version);
  const before = await pickers();
  const [, , change] = await documentedCommands(PAGE, 'Upgrade and rollback');
  await underLoad(async () => {
    await typed(cluster, ROOT, change!);
    await untilRunning(version, CHANGED);
  });
  expect(await pickers()).not.toEqual(before);
}, 300_000);

test('an upgrade replaces every part and keeps the values that were set, and no request is lost', async () => {
  const [upgrade] = await documentedCommands(PAGE, 'Upgrade and rollback');
  await underLoad(async () => {
    await typed(cluster, next.folder, upgrade!);
    await untilRunning(NEXT, CHANGED);
  });
  await expectNewCrd();
}, 300_000);

test('a rollback replaces every part, and no request is lost; the newer definition stays', async () => {
  const [, rollback] = await documentedCommands(PAGE, 'Upgrade and rollback');
  await underLoad(async () => {
    await typed(cluster, ROOT, rollback!);
    await untilRunning(version, CHANGED);
  });
  await expectNewCrd();
  const history = await typed(cluster, ROOT, `helm history inference-gateway -n ${SYSTEM_NAMESPACE} -o json`);
  expect(JSON.parse(history)).toMatchObject([
    { status: 'superseded', app_version: version },
    { status: 'superseded', app_version: version },
    { status: 'superseded', app_version: NEXT },
    { status: 'deployed', app_version: version },
  ]);
}, 300_000);

test('a gateway whose controller is gone before it is let go of once that is installed again', async () => {
  const [install] = await documentedCommands(PAGE, 'Helm');
  await typed(cluster, ROOT, `helm uninstall inference-gateway --namespace ${SYSTEM_NAMESPACE}`);
  await cluster.client.delete(config.path);
  await typed(cluster, ROOT, install!);
  await cluster.until('the gateway is gone', async () => (await cluster.client.find(config.path)) === undefined);
}, 300_000);

test('after it is uninstalled nothing of it is left but definitions', async () => {
  const [uninstall] = await documentedCommands(PAGE, 'Uninstall');
  await typed(cluster, ROOT, uninstall!);
  expect(await leftOver()).toEqual([]);
}, 300_000);

/** Objects of the whole cluster, of any kind, with a label of ours or a name of ours. */
async function leftOver(): Promise<readonly string[]> {
  const kinds = (await cluster.kubectl(['api-resources', '--verbs=list', '-o', 'name'])).trim().split('\n');
  const all = await cluster.kubectl([
    ...['get', kinds.filter((kind) => !kind.startsWith('events')).join(','), '--all-namespaces', '-o'],
    'jsonpath={range .items[*]}{.kind} {.metadata.namespace} {.metadata.name} {.metadata.labels}{"\\n"}{end}',
  ]);
  return all
    .split('\n')
    .filter((line) => !line.startsWith('CustomResourceDefinition ') && !line.startsWith('APIService '))
    .filter((line) => /inference|envoy|quickstart/.test(line.replaceAll('inference-gateway:', '')));
}
