import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1ConfigMap, V1Namespace } from '@kubernetes/client-node';
import { type AwsCommand, awsCommand } from './support/aws/aws-command';
import { type AwsController, awsController } from './support/aws/aws-controller';
import { AWS_NAMESPACE as THEIRS } from './support/aws/aws-namespace';
import { type ChatLoadOptions, startChatLoad } from './support/chat-load';
import { type Cluster, startCluster } from './support/cluster';
import { documentedCommands, typed } from './support/documented-commands';
import { installCertManager } from './support/install-cert-manager';
import { ROOT, standardImages } from './support/standard-images';

/* The commands of docs/kubernetes.md, from AWS's controller (a stand-in) to ours and back. */

const PAGE = 'docs/kubernetes.md';
const OURS = 'inference-gateway';
const GROUP = 'inference.sagemaker.aws.amazon.com';
const MODEL = 'llama-3.1-8b';
/** What a move must not touch, and what shows who serves. */
const KINDS = [
  ...['gatewayclasses', 'gateways', 'envoyproxies', 'httproutes', 'inferencepools', 'backendtrafficpolicies'],
  ...['deployments', 'services', 'configmaps', 'secrets', 'serviceaccounts', 'roles', 'rolebindings', 'pods'],
  ...['poddisruptionbudgets', 'networkpolicies', 'customresourcedefinitions', 'inferencegatewayconfigs'],
];

let cluster: Cluster;
let folder: string;
let aws: AwsController;
let command: AwsCommand;
/** The spec as it was under AWS's definition. */
let wish: object;

beforeAll(async () => {
  cluster = await startCluster({ images: { ...(await standardImages()), 'test/nothing': { inert: true } }, nodes: 2 });
  await installCertManager(cluster);
  aws = awsController(cluster);
  await aws.turnOn();
  folder = await mkdtemp('/run/migration-');
  await symlink(join(ROOT, 'charts'), join(folder, 'charts'));
  command = await awsCommand(folder, aws);
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
    ...models(),
    gateway('demo', 'llama'),
    // What is done to one must be done to all.
    gateway('spare', 'llama-too'),
  ]);
  await theirsAnswers();
  wish = (await demo()).spec;
}, 300_000);
afterAll(async () => {
  try {
    await command?.stop();
    await aws?.stop();
  } finally {
    await cluster?.close();
  }
});

function gateway(name: string, scheduler: string): object {
  return {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'InferenceGatewayConfig',
    metadata: { name, namespace: 'team', labels: { team: 'a' } },
    spec: {
      bbr: { enabled: true, replicas: 1 },
      tls: {},
      schedulers: [
        { name: scheduler, modelName: MODEL, modelSelector: { matchLabels: { app: 'llama' } }, replicas: 1 },
      ],
    },
  };
}

/** The model and its Service, which belong to neither gateway. */
function models(): readonly object[] {
  const labels = { app: 'llama' };
  const metadata = { name: 'llama', namespace: 'team', labels };
  const args = ['model-server', '--host=0.0.0.0', '--port=8000', `--model=${MODEL}`, '--speed=50'];
  const readinessProbe = { httpGet: { path: '/health', port: 8000 }, periodSeconds: 2 };
  const containers = [{ name: 'model-server', image: 'inference-gateway:test', args, readinessProbe }];
  const spec = {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
  };
  return [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: [{ port: 8000 }] } },
  ];
}

interface Config {
  readonly metadata: { readonly finalizers: readonly string[]; readonly labels: object };
  readonly spec: object;
}

const CONFIGS = `/apis/${GROUP}/v1alpha1/namespaces/team/inferencegatewayconfigs`;
const demo = () => cluster.client.get<Config>(`${CONFIGS}/demo`);
const spare = () => cluster.client.get<Config>(`${CONFIGS}/spare`);

const documented = (heading: string) => documentedCommands(PAGE, heading);
const run = (commands: string) =>
  typed(cluster, folder, `PATH=${command.bin}:$PATH\nexport CLUSTER=production\n${commands}`);

/** `Kind namespace/name` and the field of each object, less those of Kubernetes itself. */
async function objects(
  field: 'uid' | 'resourceVersion',
  namespaces: readonly string[],
  selector = '',
): Promise<string[]> {
  const fields = [`.kind`, '.metadata.namespace', '.metadata.name', `.metadata.${field}`];
  const template = fields.map((path) => `{${path}}{" "}`).join('');
  const text = await cluster.kubectl([
    ...['get', KINDS.join(','), '--all-namespaces', '--ignore-not-found', ...(selector === '' ? [] : ['-l', selector])],
    ...['-o', `jsonpath={range .items[*]}${template}{"\\n"}{end}`],
  ]);
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.includes('kube-root-ca.crt'));
  return lines.filter((line) => namespaces.includes(line.split(' ')[1] ?? '')).sort();
}

/** What belongs to something that is gone goes a little later. */
async function untilNone(what: string, find: () => Promise<readonly string[]>): Promise<void> {
  await cluster.until(`nothing is left ${what}`, async () => {
    const left = await find();
    if (left.length > 0) throw new Error(`there is still ${left.join(', ')}`);
    return true;
  });
}

async function answers(url: string, ca = ''): Promise<void> {
  const options: ChatLoadOptions = { url, ca, model: MODEL, perSecond: 20 };
  await cluster.until(
    `an answer of ${url}`,
    async () => {
      const load = startChatLoad(options);
      await sleep(500);
      const { failures, ok } = await load.stop();
      if (failures.length > 0) throw new Error(failures[0]);
      return ok > 0;
    },
    { timeout: 90_000, every: 500 },
  );
}

async function theirUrl(): Promise<string> {
  const selector = 'gateway.envoyproxy.io/owning-gateway-name=demo';
  const name = await cluster.kubectl(['-n', THEIRS, 'get', 'service', '-l', selector, '-o', 'name']);
  if (name === '') throw new Error('there is no Service of its Envoys');
  return `http://${name.trim().replace('service/', '')}.${THEIRS}.svc`;
}

/** Of all replicas. */
async function metrics(): Promise<string> {
  const pods = cluster.pods.list().filter(({ metadata }) => metadata?.namespace === OURS);
  const controllers = pods.filter(({ metadata }) => metadata?.labels?.['app.kubernetes.io/component'] === 'controller');
  const pages = controllers.map(async ({ status }) => (await fetch(`http://${status?.podIP}:9090/metrics`)).text());
  return (await Promise.all(pages)).join('');
}

const theirsAnswers = async () =>
  answers(await cluster.until('the Service of its Envoys', theirUrl, { timeout: 60_000 }));

test('installed beside it ours changes nothing, says so, and nobody misses an answer', async () => {
  const everywhere = [THEIRS, 'team', ''];
  const before = await cluster.until('quiet', async () => {
    const now = await objects('resourceVersion', everywhere);
    await sleep(2_000);
    return JSON.stringify(await objects('resourceVersion', everywhere)) === JSON.stringify(now) && now;
  });
  expect(before.length).toBeGreaterThan(40);
  const load = startChatLoad({ url: await theirUrl(), ca: '', model: MODEL, perSecond: 20 });
  const [install] = await documented("Moving from AWS's controller");

  const told = await run(install!);

  expect(told).toContain('successfully rolled out');
  await cluster.until('the Event', async () => (await run(install!.trim().split('\n').at(-1)!)).includes('team'));
  // As long as it takes to do much.
  await sleep(5_000);
  const log = await cluster.kubectl(['-n', OURS, 'logs', '-l', 'app.kubernetes.io/component=controller', '--tail=-1']);
  expect(log).toContain('is another controller of InferenceGatewayConfigs');
  expect(await metrics()).toMatch(/reconcile_duration_seconds_count\{outcome="stood-back"\} [1-9]/);
  expect((await objects('resourceVersion', everywhere)).filter((line) => !before.includes(line))).toEqual([]);
  expect(
    await objects('uid', [...everywhere, OURS], 'app.kubernetes.io/managed-by=inference-gateway-controller'),
  ).toEqual([]);
  const { sent, ok, failures } = await load.stop();
  expect(failures).toEqual([]);
  expect(ok).toBe(sent);
}, 180_000);

test('the documented way leads to ours, which leaves nothing of theirs and keeps the models', async () => {
  const [, ...blocks] = await documented("Moving from AWS's controller");
  const models = await objects('uid', ['team'], 'app=llama');
  expect(models.length).toBeGreaterThan(1);
  for (const block of blocks) {
    if (block.includes('update-addon')) await setEnabled(false);
    await run(block);
  }

  const { data } = await cluster.client.get<V1ConfigMap>('/api/v1/namespaces/team/configmaps/demo-ca');
  await answers(`https://demo-envoy.${OURS}.svc`, data!['ca.crt']!);
  const { metadata, spec } = await demo();
  expect(metadata.finalizers).toEqual([`${GROUP}/gateway`]);
  expect((await spare()).metadata.finalizers).toEqual([`${GROUP}/gateway`]);
  expect(metadata.labels).toEqual({ team: 'a' });
  expect(spec).toMatchObject({ ...wish, endpoint: { type: 'clusterIP' } });
  expect(await objects('uid', ['team'], 'app=llama')).toEqual(models);
  await untilNone('of theirs', async () =>
    (await objects('uid', [THEIRS])).filter((line) => /^(Deployment|Service|Gateway|EnvoyProxy|Pod) /.test(line)),
  );
  const unlabelled = await objects('uid', ['team'], 'app.kubernetes.io/managed-by!=inference-gateway-controller');
  expect(unlabelled.filter((line) => /^(HTTPRoute|InferencePool|Deployment) /.test(line))).toEqual(
    models.filter((line) => line.startsWith('Deployment')),
  );
}, 240_000);

test('the documented way back leads to theirs, and leaves nothing of ours', async () => {
  const models = await objects('uid', ['team'], 'app=llama');
  for (const block of await documented("Moving back to AWS's controller")) {
    if (block.includes('update-addon')) await setEnabled(true);
    await run(block);
  }

  await theirsAnswers();
  expect(await objects('uid', ['team'], 'app=llama')).toEqual(models);
  for (const label of ['managed-by=inference-gateway-controller', 'part-of=hyperpod-inference-gateway']) {
    await untilNone('of ours', () => objects('uid', [THEIRS, 'team', ''], `app.kubernetes.io/${label}`));
  }
  const namespace = await cluster.client.find<V1Namespace>(`/api/v1/namespaces/${OURS}`);
  expect(namespace?.status?.phase ?? 'Terminating').toBe('Terminating');
  const { metadata, spec } = await demo();
  expect(metadata.finalizers).not.toContain(`${GROUP}/gateway`);
  expect((await spare()).metadata.finalizers).not.toContain(`${GROUP}/gateway`);
  expect(spec).toEqual(wish);
}, 240_000);

/** What the page asks its reader to edit. */
async function setEnabled(enabled: boolean): Promise<void> {
  const file = join(folder, 'addon.json');
  const values = JSON.parse(await readFile(file, 'utf8')) as object;
  await writeFile(file, JSON.stringify({ ...values, inferenceGateway: { enabled } }));
}
