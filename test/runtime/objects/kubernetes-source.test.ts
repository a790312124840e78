import { pino } from 'pino';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { Resource } from '../../../runtime/kubernetes/api-client';
import { createHttpApiClient, type HttpApiClient } from '../../../runtime/kubernetes/http-api-client';
import { resourceOf } from '../../../runtime/kubernetes/resources';
import {
  type KubernetesSource,
  type KubernetesSourceOptions,
  kubernetesSource,
} from '../../../runtime/objects/kubernetes-source';
import type { ObjectSet } from '../../../runtime/objects/object-source';
import { fastClock } from '../../support/clocks';
import { FakeApiServer } from '../../support/fake-api-server/fake-api-server';
import { until } from '../../support/until';

const CONFIGS = resourceOf('inference.sagemaker.aws.amazon.com/v1alpha1', 'InferenceGatewayConfig');
const PODS = resourceOf('v1', 'Pod');
const CONFIG_MAPS = resourceOf('v1', 'ConfigMap');
const REWRITES = resourceOf('inference.networking.x-k8s.io/v1alpha2', 'InferenceModelRewrite');
const LLM_D_REWRITES = resourceOf('llm-d.ai/v1alpha2', 'InferenceModelRewrite');
const OBJECTIVES = resourceOf('llm-d.ai/v1alpha2', 'InferenceObjective');
const FILE =
  'apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n';

let server: FakeApiServer;
let client: HttpApiClient;
let stop: AbortController;
let watching: Promise<void>[];
beforeEach(async () => {
  server = await FakeApiServer.start();
  client = createHttpApiClient({ access: server.access, random: () => 0.5, silenceMs: 1_000 });
  stop = new AbortController();
  watching = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.all(watching);
  await client.close();
  await server.close();
});

interface Started {
  readonly source: KubernetesSource;
  readonly sets: ObjectSet[];
  readonly faults: string[];
  readonly logs: string[];
  /** Sources of the newest set, sorted, the config left out. */
  last(): readonly string[];
}

function start(options: Partial<KubernetesSourceOptions> = {}): Started {
  const [sets, faults, logs]: [ObjectSet[], string[], string[]] = [[], [], []];
  const source = kubernetesSource({
    namespace: 'team',
    name: 'gw',
    own: () => true,
    pods: true,
    client,
    clock: fastClock(20),
    random: () => 0.5,
    log: pino({ level: 'warn' }, { write: (line: string) => void logs.push(line) }),
    ...options,
  });
  watching.push(
    source.watch(
      (set) => sets.push(set),
      (fault) => faults.push(fault.message),
      stop.signal,
    ),
  );
  const last = () =>
    (sets.at(-1)?.objects ?? [])
      .map(({ source: name }) => name)
      .filter((name) => !name.startsWith('inferencegatewayconfigs'))
      .sort();
  return { source, sets, faults, logs, last };
}

const scheduler = (name: string, fields: object = {}) => ({
  name,
  modelName: name,
  modelSelector: { matchLabels: { app: name } },
  ...fields,
});

function putConfig(schedulers: readonly object[] = [scheduler('llama')], status?: object) {
  const spec = { bbr: { enabled: true }, schedulers };
  put(CONFIGS, 'gw', { spec, ...(status && { status }) });
}

function put(resource: Resource, name: string, fields: object = {}, metadata: object = {}, namespace = 'team') {
  return server.cluster.put(resource, { ...fields, metadata: { name, namespace, ...metadata } });
}

const putPod = (name: string, app: string, podIP = '10.0.0.1', status: object = {}) =>
  put(PODS, name, { status: { podIP, phase: 'Running', ...status } }, { labels: { app } });

const objectAt = ({ sets }: Started, name: string) =>
  sets.at(-1)!.objects.find(({ source }) => source === name)?.value as KubernetesObject | undefined;

const CONFIG = 'inferencegatewayconfigs.inference.sagemaker.aws.amazon.com/gw';

test('the first set is whole: the config, and what counts for it in its namespace, trimmed', async () => {
  putConfig([scheduler('llama', { scheduler: 'epp', configMapRef: { name: 'picker', key: 'a.yaml' } })], {
    conditions: [],
  });
  put(CONFIGS, 'other', { spec: {} });
  put(
    CONFIG_MAPS,
    'adapters',
    { data: { baseModel: 'llama' } },
    { labels: { 'inference.networking.k8s.io/bbr-managed': 'true' } },
  );
  put(CONFIG_MAPS, 'picker', { data: { 'a.yaml': FILE } });
  put(CONFIG_MAPS, 'unrelated', { data: {} });
  put(REWRITES, 'canary', { spec: { poolRef: { name: 'llama' }, rules: [] } });
  put(OBJECTIVES, 'gold', { spec: { poolRef: { name: 'llama' }, priority: 1 } });
  putPod('a', 'llama');
  putPod('b', 'qwen');
  put(PODS, 'c', { status: { podIP: '10.0.0.9' } }, { labels: { app: 'llama' } }, 'elsewhere');
  const started = start();
  await until('there is a set', () => started.sets.length > 0);
  expect(started.sets).toHaveLength(1);
  expect(started.last()).toEqual([
    'configmaps/adapters',
    'configmaps/picker',
    'inferencemodelrewrites.inference.networking.x-k8s.io/canary',
    'inferenceobjectives.llm-d.ai/gold',
    'pods/a',
  ]);
  expect(objectAt(started, CONFIG)).toMatchObject({ spec: { schedulers: [{ configMapRef: { name: 'picker' } }] } });
  expect(objectAt(started, CONFIG)!.status).toBeUndefined();
  expect(started.faults).toEqual([]);
});

test('routers take no pods', async () => {
  putConfig();
  putPod('a', 'llama');
  const started = start({ pods: false });
  await until('there is a set', () => started.sets.length > 0);
  expect(started.last()).toEqual([]);
  expect(server.requests.filter(({ path }) => path.includes('/pods'))).toEqual([]);
});

test('the first pod that becomes ready counts when Envoys know it', async () => {
  putConfig();
  const waits: number[] = [];
  const clock = fastClock(20);
  const sleep = (ms: number, signal?: AbortSignal) => {
    waits.push(ms);
    return clock.sleep(ms, signal);
  };
  const started = start({ clock: { ...clock, sleep } });
  await until('there is a set', () => started.sets.length > 0);
  await until('all is watched', () => server.openWatches() === 7);
  putPod('a', 'llama', '10.0.0.1', { conditions: [{ type: 'Ready', status: 'True' }] });
  await until('the pod is there', () => started.last().includes('pods/a'));
  expect(waits).toContain(2_000);
});

test('a picker of some schedulers takes no pods and no files of others', async () => {
  putConfig([scheduler('llama'), scheduler('qwen', { configMapRef: { name: 'gone', key: 'a' } })]);
  putPod('a', 'llama');
  putPod('b', 'qwen', '10.0.0.2');
  const started = start({ own: (name) => name === 'llama' });
  await until('there is a set', () => started.sets.length > 0);
  expect([started.last(), started.faults]).toEqual([['pods/a'], []]);
  expect(server.requests.map(({ query }) => query.get('labelSelector'))).not.toContain('app=qwen');
});

test('a change is a new set, what is not read is none, and changes that come together are one', async () => {
  putConfig();
  putPod('a', 'llama', '10.0.0.1', { conditions: [{ type: 'Ready', status: 'False' }] });
  const started = start({ settleMs: 600 });
  await until('there is a set', () => started.sets.length > 0);
  await until('all is watched', () => server.openWatches() === 7);
  putPod('a', 'llama', '10.0.0.1', {
    conditions: [{ type: 'Ready', status: 'False', reason: 'other' }],
    startTime: 'x',
  });
  putConfig([scheduler('llama')], { conditions: [{}] });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(started.sets).toHaveLength(1);
  putPod('a', 'llama', '10.0.0.1', { conditions: [{ type: 'Ready', status: 'True' }] });
  for (let index = 0; index < 50; index++) putPod(`p${index}`, 'llama', `10.0.1.${index}`);
  server.cluster.delete(PODS, 'p0', 'team');
  await until('they are there', () => started.last().length === 50);
  expect(started.sets.length).toBeLessThanOrEqual(3);
});

test('a selector that changes is listed anew, and until that is known the former config holds with its pods', async () => {
  putConfig();
  putPod('a', 'llama');
  putPod('b', 'other', '10.0.0.2');
  const started = start();
  await until('there is a set', () => started.sets.length > 0);
  server.answer({ code: 503, when: ({ query }) => query.get('labelSelector') === 'app=other', times: 3 });
  putConfig([
    scheduler('llama', { modelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['other'] }] } }),
  ]);
  server.answer({ code: 503, when: ({ query }) => query.get('labelSelector') === 'app in (other)', times: 3 });
  putPod('c', 'llama', '10.0.0.3');
  await until('the new pod is there', () => started.last().includes('pods/c'));
  await until('the other pods are', () => started.last().includes('pods/b'));
  expect(started.last()).toEqual(['pods/b']);
  for (const { objects } of started.sets) {
    const selector = JSON.stringify((objects[0]!.value as { spec: { schedulers: object[] } }).spec.schedulers[0]);
    const names = objects.slice(1).map(({ source }) => source);
    expect(names.includes('pods/b')).toBe(selector.includes('matchExpressions'));
  }
  await until('the former are watched no more', () => server.openWatches(PODS) === 1);
});

test('without a config there is no set; when it comes there is, and when it is gone the last one stays', async () => {
  const started = start();
  await until('it says what it waits for', () =>
    started.logs.some((line) => line.includes('there is no such InferenceGatewayConfig')),
  );
  expect([started.sets.length, started.source.isAnswered()]).toEqual([0, true]);
  putConfig();
  await until('there is a set', () => started.sets.length === 1);
  server.cluster.delete(CONFIGS, 'gw', 'team');
  await until('it is told', () => started.logs.some((line) => line.includes('the last one stays in force')));
  putPod('a', 'llama');
  await until('pods are followed on', () => started.last().includes('pods/a'));
  expect(objectAt(started, CONFIG)).toBeDefined();
});

test('a config that is faulty is told of once, and changes nothing; pods are followed on', async () => {
  putConfig([scheduler('Upper')]);
  const started = start();
  await until('the fault is told', () => started.faults.length > 0);
  expect(started.faults[0]).toContain(`${CONFIG} spec.schedulers[0].name`);
  putConfig();
  await until('there is a set', () => started.sets.length === 1);
  putConfig([scheduler('llama', { targetPort: 0 })]);
  await until('the fault is told', () => started.faults.length === 2);
  putPod('a', 'llama');
  await until('the pod is there', () => started.last().includes('pods/a'));
  putPod('b', 'llama', '10.0.0.2');
  await until('the other is', () => started.last().includes('pods/b'));
  expect(started.faults).toHaveLength(2);
  expect(objectAt(started, CONFIG)).toMatchObject({ spec: { schedulers: [scheduler('llama')] } });
});

test('where the first config has faults that of the last run goes on, with the pods of now, until it is mended', async () => {
  putConfig([scheduler('llama', { targetPort: 9000 })]);
  const before = start();
  await until('there is a set', () => before.sets.length === 1);
  const last = objectAt(before, CONFIG);
  putConfig([scheduler('Upper')]);
  putPod('a', 'llama');
  const started = start({ last });
  await until('it goes on', () => `${started.last()}` === 'pods/a');
  expect(objectAt(started, CONFIG)).toMatchObject({ spec: { schedulers: [{ name: 'llama', targetPort: 9000 }] } });
  expect(started.faults).toEqual([expect.stringContaining('that of the last run goes on')]);
  putPod('b', 'llama', '10.0.0.2');
  await until('pods are followed', () => `${started.last()}` === 'pods/a,pods/b');
  putConfig([scheduler('llama', { targetPort: 9001 })]);
  await until('it is mended', () => JSON.stringify(objectAt(started, CONFIG)).includes('9001'));
});

test('a config of the last run is of no use where the first is good, or where it has faults itself', async () => {
  putConfig([scheduler('llama', { targetPort: 9001 })]);
  const apiVersion = `${CONFIGS.group}/${CONFIGS.version}`;
  const faulty = { apiVersion, kind: CONFIGS.kind, metadata: { name: 'gw', namespace: 'team' }, spec: { bbr: 1 } };
  const good = start({ last: { ...faulty, spec: { bbr: { enabled: true }, schedulers: [scheduler('old')] } } });
  await until('there is a set', () => good.sets.length === 1);
  expect(JSON.stringify(good.sets)).not.toContain('old');
  putConfig([scheduler('Upper')]);
  const started = start({ last: faulty });
  await until('the fault is told', () => started.faults.length > 0);
  expect(started.faults[0]).toContain('nothing is in force yet');
});

test('a picker file that is not there, becomes faulty and is good again', async () => {
  const reference = scheduler('llama', { scheduler: 'epp', configMapRef: { name: 'picker', key: 'a.yaml' } });
  putConfig([reference]);
  const started = start();
  await until('there is a set', () => started.sets.length === 1);
  expect(started.faults).toEqual([
    `${CONFIG} spec.schedulers[0].configMapRef: there is no ConfigMap picker whose a.yaml can be used; scheduler llama picks by the default weights until there is`,
  ]);
  const isReferred = () => JSON.stringify(objectAt(started, CONFIG)).includes('configMapRef');
  expect(isReferred()).toBe(false);
  put(CONFIG_MAPS, 'picker', { data: { 'a.yaml': FILE } });
  await until('it is there', () => started.last().includes('configmaps/picker'));
  expect(isReferred()).toBe(true);
  put(CONFIG_MAPS, 'picker', { data: { 'a.yaml': 'plugins: 7' } });
  await until('the fault is told', () => started.faults.some((fault) => fault.includes('it counts as it was before')));
  expect(objectAt(started, 'configmaps/picker')).toMatchObject({ data: { 'a.yaml': FILE } });
  expect(isReferred()).toBe(true);
  const next = `${FILE}- type: kv-cache-utilization-scorer\n`;
  put(CONFIG_MAPS, 'picker', { data: { 'a.yaml': next } });
  await until('it is in force', () => JSON.stringify(objectAt(started, 'configmaps/picker')).includes('utilization'));
});

test('an edit to a picker file that is not there leaves the weights as they were, and the rest of the edit counts', async () => {
  putConfig([scheduler('llama', { weights: { queue: 7 } })]);
  const started = start();
  await until('there is a set', () => started.sets.length === 1);
  putConfig([
    scheduler('llama', { scheduler: 'epp', configMapRef: { name: 'picker', key: 'a.yaml' }, targetPort: 9000 }),
  ]);
  await until('the rest of the edit is in force', () =>
    JSON.stringify(objectAt(started, CONFIG)).includes('"targetPort":9000'),
  );
  expect(objectAt(started, CONFIG)).toMatchObject({ spec: { schedulers: [{ weights: { queue: 7 } }] } });
  expect(started.faults).toEqual([expect.stringContaining('scheduler llama picks as before until there is')]);
  put(CONFIG_MAPS, 'picker', { data: { 'a.yaml': FILE } });
  await until('the file is', () => JSON.stringify(objectAt(started, CONFIG)).includes('configMapRef'));
  expect(JSON.stringify(objectAt(started, CONFIG))).not.toContain('weights');
});

test('kinds that the cluster does not serve are none, and count once they are served', async () => {
  for (const resource of [REWRITES, LLM_D_REWRITES, OBJECTIVES]) server.cluster.serve(resource, false);
  putConfig();
  const started = start();
  await until('there is a set', () => started.sets.length === 1);
  server.cluster.serve(LLM_D_REWRITES, true);
  put(LLM_D_REWRITES, 'canary', { spec: { poolRef: { name: 'llama' }, rules: [] } });
  await until('it is there', () => started.last().length === 1);
});

test('while the API server is away the last set stays; what changed meanwhile is known when it is back', async () => {
  putConfig();
  putPod('a', 'llama');
  const started = start();
  await until('there is a set', () => started.sets.length > 0);
  await until('all is watched', () => server.openWatches() === 7);
  server.down();
  await until('it is silent', () => started.source.silentMs() > 1_000);
  expect(started.last()).toEqual(['pods/a']);
  server.cluster.delete(PODS, 'a', 'team');
  putPod('b', 'llama');
  server.cluster.compact();
  const before = started.sets.length;
  server.up();
  await until('it is known', () => started.last().includes('pods/b'));
  expect(started.last()).toEqual(['pods/b']);
  expect(started.sets.slice(before - 1).map(({ objects }) => objects.length)).not.toContain(1);
});

test('an API server that does not answer is said to be waited for', async () => {
  server.down();
  const started = start();
  await until('it is said', () => started.logs.some((line) => line.includes('the API server has not answered yet')));
  expect([started.source.isAnswered(), started.sets.length]).toEqual([false, 0]);
});
