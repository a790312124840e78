import type { Cluster } from './support/cluster';
import { startClusterWithGateway } from './support/cluster-with-gateway';
import { modelServer, scheduler, type Tenant, tenant } from './support/tenant';

/* Several who write one InferenceGatewayConfig: its authors, by what they apply with, and an operator that adds its model. */

const ROUTES = '/apis/gateway.networking.k8s.io/v1/namespaces/team/httproutes';
/** How Argo CD, Flux and a person apply: each takes over what it has in its files. */
const AUTHORS = ['argocd-controller', 'kustomize-controller', 'kubectl'];

interface Config {
  readonly metadata: {
    readonly managedFields: ReadonlyArray<{
      readonly manager: string;
      readonly fieldsV1: Readonly<Record<string, object>>;
    }>;
  };
  readonly spec: {
    readonly schedulers: ReadonlyArray<{ readonly name: string; readonly weights?: { queue?: number } }>;
  };
}

let cluster: Cluster;
let team: Tenant;

beforeAll(async () => {
  cluster = await startClusterWithGateway();
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  await cluster.apply(['llama', 'qwen'].map((app) => modelServer('team', app)));
  team = tenant(cluster, 'team', 'gw');
  await apply(AUTHORS[0]!, team.object([scheduler('llama')]));
  await team.untilAnswered('llama');
}, 300_000);
afterAll(() => cluster?.close());

async function apply(manager: string, object: object): Promise<void> {
  const flags = ['--server-side', '--force-conflicts', `--field-manager=${manager}`, '-f', '-'];
  await cluster.kubectl(['--namespace=team', 'apply', ...flags], JSON.stringify(object));
}

/** What an operator applies: its own entry, and what the definition asks for beside it. */
const added = (schedulers: readonly object[]) => ({
  ...(team.object([]) as object),
  spec: { bbr: { enabled: true }, ...(schedulers.length > 0 && { schedulers }) },
});
const config = () => cluster.client.get<Config>(team.config.path);
const names = async () => (await config()).spec.schedulers.map(({ name }) => name).sort();
const untilSeen = () => team.config.untilCondition('Accepted', 'True');

test('an entry that an operator adds is served beside that of the author', async () => {
  await apply('operator', added([scheduler('qwen')]));

  await team.untilAnswered('qwen');
  expect(await team.ask('llama')).toBe(200);
});

test.each(AUTHORS)('it is kept when %s applies the files of the author again', async (author) => {
  const queue = 3 + AUTHORS.indexOf(author);
  await apply(author, team.object([scheduler('llama', { weights: { queue } })]));
  await untilSeen();

  expect(await names()).toEqual(['llama', 'qwen']);
  const { spec } = await config();
  expect(spec.schedulers.find(({ name }) => name === 'llama')?.weights?.queue).toBe(queue);
  expect(await team.ask('qwen')).toBe(200);
  expect(await team.ask('llama')).toBe(200);
});

test('the controller owns nothing of the spec', async () => {
  const { managedFields } = (await config()).metadata;
  const ours = managedFields.filter(({ manager }) => manager.startsWith('inference-gateway'));

  expect(ours.length).toBeGreaterThan(1);
  expect(ours.filter(({ fieldsV1 }) => 'f:spec' in fieldsV1)).toEqual([]);
});

test('the operator takes its entry back, and only what was made for it goes', async () => {
  const route = await cluster.client.get<{ metadata: { uid: string } }>(`${ROUTES}/llama`);
  await apply('operator', added([]));

  await cluster.until('no qwen', async () => (await cluster.client.find(`${ROUTES}/qwen`)) === undefined);
  await cluster.until('nothing of qwen', async () => {
    const kinds = 'deployments,services,inferencepools,serviceaccounts,roles,endpointslices';
    const selector = 'inference.sagemaker.aws.amazon.com/scheduler=qwen';
    const left = await cluster.kubectl(['-n', 'team', 'get', kinds, '-l', selector, '-o', 'name']);
    if (left !== '') throw new Error(left);
    return true;
  });
  expect(await names()).toEqual(['llama']);
  expect(await team.ask('llama')).toBe(200);
  expect(await cluster.client.get(`${ROUTES}/llama`)).toMatchObject({ metadata: { uid: route.metadata.uid } });
});

test('an operator alone may give it its first model, and the author the second', async () => {
  const other = tenant(cluster, 'team', 'other');
  await cluster.apply(modelServer('team', 'mistral'));
  await apply('operator', other.object([scheduler('qwen')]));
  await apply(AUTHORS[1]!, other.object([scheduler('mistral')]));

  for (const model of ['qwen', 'mistral']) await other.untilAnswered(model);
}, 120_000);
