import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './support/cluster';
import { startClusterWithGateway } from './support/cluster-with-gateway';
import { modelServer, scheduler, type Tenant, tenant } from './support/tenant';

/* Two tenants with a namespace and a gateway each, whose pods have the same labels and serve models of the same names. */

let cluster: Cluster;
let red: Tenant;
let blue: Tenant;

beforeAll(async () => {
  cluster = await startClusterWithGateway();
  for (const name of ['red', 'blue']) {
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await cluster.apply(['llama', 'qwen'].map((app) => modelServer(name, app, ['sql', 'law'])));
  }
  [red, blue] = [tenant(cluster, 'red', 'red'), tenant(cluster, 'blue', 'blue')];
  await cluster.apply([red.object([scheduler('llama'), scheduler('qwen')]), blue.object([scheduler('llama')])]);
  await red.untilAnswered('llama');
  await blue.untilAnswered('llama');
}, 300_000);
afterAll(() => cluster?.close());

/** Requests that a pod has had so far. */
async function served(namespace: string, pod: string): Promise<number> {
  const found = cluster.pods.list().find(({ metadata }) => metadata?.namespace === namespace && metadata.name === pod);
  const answer = await fetch(`http://${found!.status!.podIP}:8000/simulator/requests`);
  return ((await answer.json()) as { total: number }).total;
}

const inferenceObject = (kind: string, namespace: string, name: string, spec: object) => ({
  apiVersion: 'inference.networking.x-k8s.io/v1alpha2',
  kind,
  metadata: { name, namespace },
  spec,
});
const rewrite = (namespace: string, name: string, model: string, pool: string, target = pool) =>
  inferenceObject('InferenceModelRewrite', namespace, name, {
    poolRef: { name: pool },
    rules: [{ matches: [{ model: { value: model } }], targets: [{ modelRewrite: target }] }],
  });
const adapters = (namespace: string, name: string, baseModel: string, list: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { 'inference.networking.k8s.io/bbr-managed': 'true' } },
  data: { baseModel, adapters: list },
});
const untilTold = (of: Tenant, reason: string, part: string) =>
  cluster.until(`${reason} ${part}`, async () => {
    const notes = await of.events(reason);
    if (notes.some((note) => note.includes(part))) return true;
    throw new Error(JSON.stringify(notes));
  });

test('a request reaches pods of its own namespace alone', async () => {
  const before = [await served('red', 'llama'), await served('blue', 'llama')] as const;
  for (let sent = 0; sent < 10; sent += 1) expect(await red.ask('llama')).toBe(200);
  for (let sent = 0; sent < 5; sent += 1) expect(await blue.ask('llama')).toBe(200);

  expect(await served('red', 'llama')).toBe(before[0] + 10);
  expect(await served('blue', 'llama')).toBe(before[1] + 5);
});

test("rewrites and adapters are the namespace's own", async () => {
  await cluster.apply([
    rewrite('blue', 'assistant', 'assistant', 'llama'),
    adapters('blue', 'sql', 'llama', '- sql\n'),
  ]);
  await blue.untilAnswered('assistant');
  await blue.untilAnswered('sql');

  for (const model of ['assistant', 'sql']) expect(await red.ask(model)).toBe('model_not_found');
});

test('mistakes of one are told to it, and hold back neither its own edits nor the other', async () => {
  await cluster.apply([
    rewrite('red', 'nobodys', 'x', 'nobody'),
    rewrite('red', 'nowhere', 'lost', 'llama', 'nowhere'),
    adapters('red', 'broken', 'llama', '{ not a list'),
    adapters('red', 'baseless', 'nobody', '- z\n'),
  ]);
  await untilTold(red, 'ObjectLeftOut', '"nobody", which is no scheduler of this gateway (llama, qwen)');
  await untilTold(red, 'ObjectLeftOut', 'no scheduler serves its target "nowhere"');
  await untilTold(red, 'ObjectLeftOut', 'broken');
  await untilTold(red, 'ObjectLeftOut', 'no scheduler serves its baseModel "nobody"');

  await cluster.apply([
    adapters('red', 'law', 'qwen', '- law\n'),
    rewrite('red', 'helper', 'helper', 'qwen'),
    red.object([scheduler('llama'), scheduler('qwen', { weights: { queue: 5 } })]),
  ]);
  await red.untilAnswered('law');
  await red.untilAnswered('helper');
  await red.config.untilCondition('Ready', 'True');
  await blue.config.untilCondition('Ready', 'True');
  expect(await blue.events('ObjectLeftOut')).toEqual([]);
  await cluster.apply(blue.object([scheduler('llama'), scheduler('qwen')]));
  await blue.untilAnswered('qwen');
}, 120_000);

test("without pods of its own a tenant's requests fail, and are not served by the other's", async () => {
  await cluster.kubectl(['-n', 'red', 'delete', 'pod', 'llama']);
  const before = await served('blue', 'llama');
  await cluster.until('no pod', async () => (await red.ask('llama')) !== 200, { every: 250 });

  expect(await red.ask('llama')).toBe('no_endpoints');
  expect(await served('blue', 'llama')).toBe(before);
  await cluster.apply(modelServer('red', 'llama', ['sql', 'law']));
  await red.untilAnswered('llama');
}, 90_000);

describe('names that are taken', () => {
  test('the API server refuses two schedulers of one model, and says what to do', async () => {
    const twice = red.object([scheduler('llama'), scheduler('other', { modelName: 'llama' })]);

    await expect(cluster.apply(twice)).rejects.toThrow(
      'modelName must be unique across schedulers: name another model, or merge the schedulers',
    );
  });

  test('an adapter that two schedulers claim is told at both, and the first keeps it', async () => {
    const both = [scheduler('llama', { loraAdapters: ['sql'] }), scheduler('qwen', { loraAdapters: ['sql'] })];
    await cluster.apply(red.object(both));
    for (const name of ['llama', 'qwen']) {
      const told = await cluster.until(`told at ${name}`, async () => {
        const accepted = await red.told('Accepted', name);
        return accepted?.status === 'False' && accepted;
      });
      expect(told).toMatchObject({ reason: 'ModelNameConflict' });
      expect(told.message).toContain('adapter "sql" belongs to scheduler llama already: it is left out');
    }
    await red.untilAnswered('sql');
    const before = await served('red', 'llama');
    expect(await red.ask('sql')).toBe(200);
    expect(await red.ask('qwen')).toBe(200);
    expect(await served('red', 'llama')).toBe(before + 1);

    await cluster.apply(red.object([scheduler('llama'), scheduler('qwen', { loraAdapters: ['sql'] })]));
    for (const name of ['llama', 'qwen']) {
      await cluster.until(`accepted: ${name}`, async () => (await red.told('Accepted', name))?.status === 'True');
    }
  }, 90_000);

  test('of two rewrites for one name the older counts, and it is told until one is gone', async () => {
    await sleep(1_000);
    await cluster.apply(rewrite('red', 'helper-too', 'helper', 'llama'));
    const told = await cluster.until('told at llama', async () => {
      const accepted = await red.told('Accepted', 'llama');
      return accepted?.status === 'False' && accepted;
    });
    expect(told).toMatchObject({ reason: 'ModelNameConflict' });
    expect(told.message).toContain('red/helper-too rule 0 never counts for model "helper": red/helper comes before it');
    const before = await served('red', 'qwen');
    expect(await red.ask('helper')).toBe(200);
    expect(await served('red', 'qwen')).toBe(before + 1);

    await cluster.kubectl(['-n', 'red', 'delete', 'inferencemodelrewrite', 'helper']);
    await cluster.until('accepted', async () => (await red.told('Accepted', 'llama'))?.status === 'True');
    const then = await served('red', 'llama');
    await cluster.until('the other rewrite', async () => {
      await red.ask('helper');
      return (await served('red', 'llama')) > then;
    });
  }, 90_000);

  test('a second gateway of the namespace leaves the schedulers of the first alone, and serves its own', async () => {
    const extra = tenant(cluster, 'blue', 'extra');
    await cluster.apply(modelServer('blue', 'own'));
    await cluster.apply(
      extra.object([scheduler('llama', { modelSelector: { matchLabels: { app: 'own' } } }), scheduler('own')]),
    );
    await extra.untilAnswered('own');

    const told = await cluster.until('told', () => extra.told('Accepted', 'llama'));
    expect(told).toMatchObject({ status: 'False', reason: 'NameTaken' });
    expect(told.message).toMatch(/^scheduler llama needs \w+ blue\/[\w-]+, which something else has already: rename/);
    expect(await extra.ask('llama')).not.toBe(200);
    expect(await blue.ask('llama')).toBe(200);
    expect(await blue.told('Accepted', 'llama')).toMatchObject({ status: 'True' });
    await cluster.client.delete(extra.config.path);
  }, 120_000);

  test('of two gateways of one name the older has it; the other says so, and takes over when it is free', async () => {
    const younger = tenant(cluster, 'blue', 'red');
    await cluster.apply(
      younger.object([scheduler('young', { modelName: 'llama', modelSelector: { matchLabels: { app: 'llama' } } })]),
    );
    const told = await younger.config.untilCondition('Accepted', 'False');
    expect(told.reason).toBe('NameTaken');
    expect((await younger.told('Accepted'))?.message).toContain(
      'InferenceGatewayConfig red/red is older and has this name',
    );
    expect(await red.ask('llama')).toBe(200);
    await red.config.untilCondition('Ready', 'True');

    await cluster.client.delete(red.config.path);
    await younger.config.untilCondition('Ready', 'True', 90_000);
    const before = await served('blue', 'llama');
    await younger.untilAnswered('llama');
    expect(await served('blue', 'llama')).toBe(before + 1);
  }, 180_000);
});
