import { pino } from 'pino';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { ELECTION } from '../../runtime/controller/controller';
import type { ApiClient, Resource } from '../../runtime/kubernetes/api-client';
import { type ApiError, isApiError } from '../../runtime/kubernetes/api-error';
import { systemClock } from '../../runtime/kubernetes/clock';
import { createEventRecorder } from '../../runtime/kubernetes/events';
import { createHttpApiClient, type HttpApiClient } from '../../runtime/kubernetes/http-api-client';
import { type Informer, startInformer } from '../../runtime/kubernetes/informer';
import { type LeaderElection, startLeaderElection } from '../../runtime/kubernetes/leader-election';
import { resourceOf } from '../../runtime/kubernetes/resources';
import { connect } from './support/api-client';
import { ETCD } from './support/control-plane/arguments';
import { type ControlPlane, startControlPlane } from './support/control-plane/control-plane';
import { setUpNetwork, tearDownNetwork } from './support/network';
import { makeRunFolder } from './support/run-folder';
import { until } from './support/until';

const CONFIG_MAPS = resourceOf('v1', 'ConfigMap');
const SERVICES = resourceOf('v1', 'Service');
const LEASES = resourceOf('coordination.k8s.io/v1', 'Lease');
const EVENTS = resourceOf('events.k8s.io/v1', 'Event');
const CRDS = resourceOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const BINDINGS = resourceOf('elbv2.k8s.aws/v1beta1', 'TargetGroupBinding');

const log = pino({ level: 'silent' });

let controlPlane: ControlPlane;
let api: HttpApiClient;
let stop: AbortController;

beforeAll(async () => {
  await setUpNetwork();
  const folder = await makeRunFolder();
  controlPlane = await startControlPlane(folder.data, folder.logs);
  api = connect(controlPlane.access);
});
afterAll(async () => {
  await api?.close();
  await controlPlane.close();
  await tearDownNetwork();
});
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
});

function configMap(name: string, data?: Record<string, string>, labels?: Record<string, string>): KubernetesObject {
  const metadata = { name, namespace: 'default', ...(labels && { labels }) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...(data && { data }) };
}

interface Watched {
  readonly informer: Informer;
  readonly changes: string[];
  readonly faults: Error[];
}

function inform(client: ApiClient, resource: Resource, labelSelector?: string): Watched {
  const [changes, faults]: [string[], Error[]] = [[], []];
  const informer = startInformer({
    client,
    resource,
    selection: labelSelector === undefined ? {} : { labelSelector },
    clock: systemClock,
    random: Math.random,
    log,
    signal: stop.signal,
    onChange: (old, now) => {
      changes.push(`${old === undefined ? '+' : now === undefined ? '-' : '~'}${(now ?? old)!.metadata.name}`);
    },
    onFault: (error) => faults.push(error),
  });
  return { informer, changes, faults };
}

/** Forgets the history up to now. */
async function compact(): Promise<void> {
  const { resourceVersion } = await api.list(CONFIG_MAPS, {});
  const response = await fetch(`${ETCD}/v3/kv/compaction`, {
    method: 'POST',
    body: JSON.stringify({ revision: resourceVersion, physical: true }),
  });
  if (!response.ok) throw new Error(`etcd answered ${response.status} to the compaction`);
}

async function rejection(promise: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isApiError(error)) throw new Error(`not rejected with an ApiError: ${error}`);
  return error;
}

describe('the informer', () => {
  test('hears of what changes at once, by label selector', async () => {
    const { informer, changes } = inform(api, CONFIG_MAPS, 'heard in (yes, certainly)');
    await until('it is synced', () => informer.state() === 'synced');
    await api.create(CONFIG_MAPS, configMap('silent'));
    await api.create(CONFIG_MAPS, configMap('loud', {}, { heard: 'yes' }));
    await until('it is heard', () => changes.length === 1, { timeout: 10_000 });

    await api.apply(CONFIG_MAPS, configMap('loud', {}, { heard: 'no' }), { fieldManager: 'test', force: true });
    await until('its loss is heard', () => changes.length === 2);
    expect(changes).toEqual(['+loud', '-loud']);
  });

  test('goes on over an API server that restarts, and a history that is gone', async () => {
    await api.create(CONFIG_MAPS, configMap('kept', {}, { over: 'restart' }));
    await api.create(CONFIG_MAPS, configMap('lost', {}, { over: 'restart' }));
    let isOpen = true;
    const gated: ApiClient = {
      ...api,
      async *watch(...args) {
        await until('the gate is open', () => isOpen, { timeout: 60_000, every: 10 });
        yield* api.watch(...args);
      },
    };
    const { informer, changes, faults } = inform(gated, CONFIG_MAPS, 'over=restart');
    await until('it is synced', () => informer.state() === 'synced');
    expect(changes).toEqual(['+kept', '+lost']);

    isOpen = false;
    await controlPlane.stopApiServer();
    await until('it has failed', () => faults.length > 0);
    expect(informer.list()).toHaveLength(2);
    await controlPlane.startApiServer();
    await api.delete(CONFIG_MAPS, 'lost', 'default');
    await api.create(CONFIG_MAPS, configMap('new', {}, { over: 'restart' }));
    await compact();
    await controlPlane.stopApiServer();
    await controlPlane.startApiServer();
    isOpen = true;

    await until('it knows what there is', () => changes.length === 4, { explain: () => changes.join(' ') });
    expect(changes).toEqual(['+kept', '+lost', '-lost', '+new']);
    await until('it watches', () => informer.stalenessMs() < 5_000);
    await api.create(CONFIG_MAPS, configMap('newer', {}, { over: 'restart' }));
    await until('it hears again', () => changes.at(-1) === '+newer');
  });

  test('goes on over an etcd that is killed', async () => {
    const { informer, changes } = inform(api, CONFIG_MAPS, 'over=etcd');
    await until('it is synced', () => informer.state() === 'synced');
    await controlPlane.restartEtcd();
    await until('a change is possible', async () => {
      await api.apply(CONFIG_MAPS, configMap('after', {}, { over: 'etcd' }), { fieldManager: 'test' });
      return true;
    });

    await until('it is heard', () => changes.length === 1);
  });

  test('waits for a kind whose definition comes and goes', async () => {
    const { informer, changes, faults } = inform(api, BINDINGS);
    await until('it is absent', () => informer.state() === 'absent');
    await api.apply(CRDS, bindingsDefinition(), { fieldManager: 'test' });
    await until('it is synced', () => informer.state() === 'synced', { timeout: 60_000 });
    const binding = {
      apiVersion: 'elbv2.k8s.aws/v1beta1',
      kind: 'TargetGroupBinding',
      metadata: { name: 'a', namespace: 'default' },
    };
    await api.create(BINDINGS, binding);
    await until('it is heard', () => changes.length === 1);

    await api.delete(CRDS, 'targetgroupbindings.elbv2.k8s.aws', undefined);

    await until('it is absent again', () => informer.state() === 'absent', { timeout: 60_000 });
    expect(changes).toEqual(['+a', '-a']);
    expect(faults.filter((error) => !isApiError(error, 0))).toEqual([]);
  });

  function bindingsDefinition(): KubernetesObject {
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'targetgroupbindings.elbv2.k8s.aws' },
      spec: {
        group: 'elbv2.k8s.aws',
        scope: 'Namespaced',
        names: { kind: 'TargetGroupBinding', plural: 'targetgroupbindings' },
        versions: [{ name: 'v1beta1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
  }
});

describe('server-side apply', () => {
  test('a field of another manager is a conflict that names it, until it is taken by force', async () => {
    await api.apply(CONFIG_MAPS, configMap('shared', { key: 'theirs' }), { fieldManager: 'they' });

    const error = await rejection(api.apply(CONFIG_MAPS, configMap('shared', { key: 'mine' }), { fieldManager: 'me' }));

    expect(error).toMatchObject({
      code: 409,
      reason: 'Conflict',
      causes: [{ reason: 'FieldManagerConflict', field: '.data.key' }],
    });
    const options = { fieldManager: 'me', force: true };
    expect(await api.apply(CONFIG_MAPS, configMap('shared', { key: 'mine' }), options)).toMatchObject({
      data: { key: 'mine' },
    });
  });

  test('what is applied no more is gone, and what others own stays', async () => {
    await api.apply(CONFIG_MAPS, configMap('partly', { theirs: '1' }), { fieldManager: 'they' });
    await api.apply(CONFIG_MAPS, configMap('partly', { mine: '1' }), { fieldManager: 'me' });

    const { data } = await api.apply(CONFIG_MAPS, configMap('partly'), { fieldManager: 'me' });

    expect(data).toEqual({ theirs: '1' });
  });

  test('a dry run changes nothing, and finds what is wrong', async () => {
    const options = { fieldManager: 'me', dryRun: true };
    await api.apply(CONFIG_MAPS, configMap('dry'), options);
    expect(await api.get(CONFIG_MAPS, 'dry', 'default')).toBeUndefined();

    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'bad', namespace: 'default' },
      spec: { ports: [] },
    };
    expect(await rejection(api.apply(SERVICES, service, options))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.ports' }],
    });
  });

  test('a field that is not known is warned of', async () => {
    const warnings: string[] = [];
    const { server, ca, token } = controlPlane.access;
    const credentials = {
      headers: { authorization: `Bearer ${token}` },
      connection: { tls: { ca }, proxy: undefined },
    };
    const access = { server, namespace: undefined, credentials: async () => credentials };
    const client = createHttpApiClient({ access, random: Math.random, onWarning: (text) => warnings.push(text) });
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'odd', namespace: 'default' },
      spec: { ports: [{ port: 80 }], color: 'red' },
    };

    const error = await rejection(client.create(SERVICES, { ...service, spec: { ...service.spec, ports: [] } }));
    await client.create(SERVICES, service);
    await client.close();

    expect(error.code).toBe(422);
    expect(warnings).toContain('unknown field "spec.color"');
  });
});

describe('requests', () => {
  test('a version that is not the newest is a conflict', async () => {
    const first = await api.create(CONFIG_MAPS, configMap('versions'));
    await api.replace(CONFIG_MAPS, { ...first, data: { by: 'another' } });

    expect(await rejection(api.replace(CONFIG_MAPS, { ...first, data: { by: 'me' } }))).toMatchObject({ code: 409 });
  });

  test('one that was made anew is not deleted for its forerunner', async () => {
    await api.create(CONFIG_MAPS, configMap('anew'));

    await api.delete(CONFIG_MAPS, 'anew', 'default', { uid: '00000000-0000-0000-0000-000000000000' });

    expect(await api.get(CONFIG_MAPS, 'anew', 'default')).toBeDefined();
  });

  test('a list in pages is whole, also when its history goes meanwhile', async () => {
    for (let i = 0; i < 7; i++) await api.create(CONFIG_MAPS, configMap(`page-${i}`, {}, { paged: 'yes' }));
    const { server, ca, token } = controlPlane.access;
    let asked = 0;
    const connection = { tls: { ca }, proxy: undefined };
    const access = {
      server,
      namespace: undefined,
      credentials: async () => {
        if (++asked === 2) await compact();
        return { headers: { authorization: `Bearer ${token}` }, connection };
      },
    };
    const client = createHttpApiClient({ access, random: Math.random, pageSize: 2 });

    const { items } = await client.list(CONFIG_MAPS, { labelSelector: 'paged=yes' });
    await client.close();

    expect(items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(
      Array.from({ length: 7 }, (_, i) => `ConfigMap page-${i}`),
    );
    expect(asked).toBeGreaterThanOrEqual(3);
  });

  test('who may not is told what', async () => {
    const nobody = connect(controlPlane.access, 'nobody');

    const error = await rejection(nobody.list(CONFIG_MAPS, {}));
    await nobody.close();

    expect(error).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(error.message).toContain('User "nobody" cannot list resource "configmaps"');
  });
});

describe('the lease', () => {
  function stand(identity: string, signal: AbortSignal): LeaderElection {
    return startLeaderElection({
      client: api,
      clock: systemClock,
      random: Math.random,
      log,
      identity,
      namespace: 'default',
      name: 'controller',
      ...ELECTION,
      onStarted: () => {},
      signal,
    });
  }

  test('is handed over within seconds, and survives an API server that restarts', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const a = stand('a', first.signal);
    await until('the first leads', () => a.isLeader());
    const b = stand('b', second.signal);
    await until('the other knows', () => b.holder() === 'a');
    await controlPlane.stopApiServer();
    await controlPlane.startApiServer();
    await until('the first leads again', () => a.isLeader());
    expect(b.isLeader()).toBe(false);

    first.abort();
    await a.done;
    expect(a.isLeader()).toBe(false);
    const freeAt = performance.now();
    await until('the second leads', () => b.isLeader(), { every: 20 });

    // A lease that is not given back is free after 15 s.
    expect(performance.now() - freeAt).toBeLessThan(12_000);
    expect((await api.get(LEASES, 'controller', 'default'))?.spec).toMatchObject({ holderIdentity: 'b' });
    second.abort();
    await b.done;
    expect((await api.get(LEASES, 'controller', 'default'))?.spec).toMatchObject({ holderIdentity: '' });
  });
});

test('an event is recorded, and counted when it comes again', async () => {
  const object = await api.create(CONFIG_MAPS, configMap('told-of'));
  let now = 0;
  const recorder = createEventRecorder({
    client: api,
    clock: { ...systemClock, now: () => now },
    random: Math.random,
    log,
    controller: 'example.com/controller',
    instance: 'controller-0',
    signal: stop.signal,
  });
  const event = { type: 'Warning', reason: 'Refused', action: 'Translate', note: 'no' } as const;
  const recorded = async () => {
    const { items } = await api.list(EVENTS, { namespace: 'default', fieldSelector: 'reason=Refused' });
    return items[0];
  };

  recorder.record(object, event);
  const first = await until('it is recorded', recorded);
  expect(first).toMatchObject({
    ...event,
    regarding: { kind: 'ConfigMap', name: 'told-of', uid: object.metadata.uid },
  });
  now = 70_000;
  recorder.record(object, event);
  await until('it is counted', async () => (await recorded())?.series);

  expect(await recorded()).toMatchObject({ metadata: { uid: first.metadata.uid }, series: { count: 2 } });
});
