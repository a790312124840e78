import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { WatchEvent } from '../../../runtime/kubernetes/api-client';
import { ApiError } from '../../../runtime/kubernetes/api-error';
import {
  createHttpApiClient,
  type HttpApiClient,
  type HttpApiClientOptions,
} from '../../../runtime/kubernetes/http-api-client';
import { resourceOf } from '../../../runtime/kubernetes/resources';
import { FakeApiServer } from '../../support/fake-api-server/fake-api-server';
import { until } from '../../support/until';

const CONFIG_MAPS = resourceOf('v1', 'ConfigMap');
const NAMESPACES = resourceOf('v1', 'Namespace');
const GATEWAYS = resourceOf('gateway.networking.k8s.io/v1', 'Gateway');

let server: FakeApiServer;
let client: HttpApiClient;

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = connect();
});

afterEach(async () => {
  await client.close();
  await server.close();
});

function connect(options: Partial<HttpApiClientOptions> = {}): HttpApiClient {
  return createHttpApiClient({ access: server.access, random: () => 0.5, ...options });
}

function configMap(name: string, data: Record<string, string> = {}, namespace = 'team'): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

async function rejection(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`not rejected with an ApiError: ${error}`);
  return error;
}

describe('objects', () => {
  test('one that is created can be got, and another cannot', async () => {
    await client.create(CONFIG_MAPS, configMap('a', { key: 'value' }));

    expect(await client.get(CONFIG_MAPS, 'a', 'team')).toMatchObject({ data: { key: 'value' } });
    expect(await client.get(CONFIG_MAPS, 'b', 'team')).toBeUndefined();
    expect(await client.get(NAMESPACES, 'team')).toBeUndefined();
  });

  test('a kind that is not served has no objects', async () => {
    server.cluster.serve(GATEWAYS, false);

    expect(await client.get(GATEWAYS, 'a', 'team')).toBeUndefined();
  });

  test('one that has been changed meanwhile is not replaced', async () => {
    const first = await client.create(CONFIG_MAPS, configMap('a'));
    await client.replace(CONFIG_MAPS, { ...first, data: { by: 'another' } });

    const error = await rejection(client.replace(CONFIG_MAPS, { ...first, data: { by: 'me' } }));

    expect(error).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(error.message).toContain('the object has been modified');
    expect(error.request).toBe('PUT /api/v1/namespaces/team/configmaps/a');
  });

  test('deleting one that is gone is no fault, and one that was made anew is left alone', async () => {
    const { metadata } = await client.create(CONFIG_MAPS, configMap('a'));
    await client.delete(CONFIG_MAPS, 'a', 'team', { uid: 'another' });
    expect(server.cluster.get(CONFIG_MAPS, 'a', 'team')).toBeDefined();

    await client.delete(CONFIG_MAPS, 'a', 'team', { uid: metadata.uid! });
    await client.delete(CONFIG_MAPS, 'a', 'team');

    expect(server.cluster.get(CONFIG_MAPS, 'a', 'team')).toBeUndefined();
  });

  test('how dependents are deleted is passed on', async () => {
    await client.delete(CONFIG_MAPS, 'a', 'team', { propagation: 'Foreground' });

    expect(JSON.parse(server.requests.at(-1)!.body)).toMatchObject({ propagationPolicy: 'Foreground' });
  });

  test('names reach no other path', async () => {
    await client.get(CONFIG_MAPS, '../secrets/a?x=1', 'team');

    expect(server.requests.at(-1)!.path).toBe('/api/v1/namespaces/team/configmaps/..%2Fsecrets%2Fa%3Fx%3D1');
    await expect(client.get(CONFIG_MAPS, '..', 'team')).rejects.toThrow('metadata.name ".." is not a name');
    await expect(client.replace(CONFIG_MAPS, { ...configMap('a'), metadata: { name: 'a' } })).rejects.toThrow(
      'metadata.namespace of ConfigMap a is missing',
    );
  });
});

describe('server-side apply', () => {
  test('says who applies, and sends the object as it is', async () => {
    await client.apply(CONFIG_MAPS, configMap('a', { key: 'value' }), { fieldManager: 'me' });

    const { method, path, query, headers, body } = server.requests.at(-1)!;
    expect([method, path]).toEqual(['PATCH', '/api/v1/namespaces/team/configmaps/a']);
    expect(Object.fromEntries(query)).toEqual({ fieldManager: 'me', force: 'false' });
    expect(headers['content-type']).toBe('application/apply-patch+yaml');
    expect(JSON.parse(body)).toEqual(configMap('a', { key: 'value' }));
  });

  test('of a status, with force, as a dry run', async () => {
    server.cluster.put(GATEWAYS, { metadata: { name: 'a', namespace: 'team' } });
    const gateway = {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'a', namespace: 'team' },
      status: { ready: true },
    };

    const answer = await client.apply(GATEWAYS, gateway, {
      fieldManager: 'me',
      force: true,
      subresource: 'status',
      dryRun: true,
    });

    const { path, query } = server.requests.at(-1)!;
    expect(path).toBe('/apis/gateway.networking.k8s.io/v1/namespaces/team/gateways/a/status');
    expect(Object.fromEntries(query)).toEqual({ fieldManager: 'me', force: 'true', dryRun: 'All' });
    expect(answer.status).toEqual({ ready: true });
    expect(server.cluster.get(GATEWAYS, 'a', 'team')?.status).toBeUndefined();
  });
});

describe('lists', () => {
  test('are read page by page, and their items say what they are', async () => {
    for (let i = 0; i < 7; i++) server.cluster.put(CONFIG_MAPS, configMap(`c${i}`));
    client = connect({ pageSize: 3 });

    const { items, resourceVersion } = await client.list(CONFIG_MAPS, { namespace: 'team' });

    expect(items.map(({ metadata }) => metadata.name)).toEqual(['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6']);
    expect(items.every(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'ConfigMap')).toBe(true);
    expect(resourceVersion).toBe(String(server.cluster.version));
    expect(server.requests.map(({ query }) => query.get('limit'))).toEqual(['3', '3', '3']);
  });

  test('start over in one piece when a page is no longer there', async () => {
    for (let i = 0; i < 7; i++) server.cluster.put(CONFIG_MAPS, configMap(`c${i}`));
    client = connect({ pageSize: 3 });
    server.answer({ code: 410, when: ({ query }) => query.has('continue') });

    const { items } = await client.list(CONFIG_MAPS, {});

    expect(items).toHaveLength(7);
    expect(server.requests.at(-1)!.query.has('limit')).toBe(false);
  });

  test('of all namespaces, by selectors', async () => {
    server.cluster.put(CONFIG_MAPS, { metadata: { name: 'a', namespace: 'x', labels: { app: 'one' } } });
    server.cluster.put(CONFIG_MAPS, { metadata: { name: 'b', namespace: 'y', labels: { app: 'two' } } });
    server.cluster.put(CONFIG_MAPS, { metadata: { name: 'c', namespace: 'y', labels: { app: 'one' } } });

    const byLabel = await client.list(CONFIG_MAPS, { labelSelector: 'app in (one, three)' });
    const byField = await client.list(CONFIG_MAPS, { fieldSelector: 'metadata.name=b' });

    expect(byLabel.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
    expect(byField.items.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  test('of a kind that is not served reject with 404', async () => {
    server.cluster.serve(GATEWAYS, false);

    expect(await rejection(client.list(GATEWAYS, {}))).toMatchObject({ code: 404 });
  });
});

describe('watches', () => {
  let stop: AbortController;
  beforeEach(() => {
    stop = new AbortController();
  });
  afterEach(() => {
    stop.abort();
  });

  function follow(from: number, options: { client?: HttpApiClient; onOpen?: () => void } = {}) {
    const events: WatchEvent[] = [];
    const run = async () => {
      const watch = (options.client ?? client).watch(CONFIG_MAPS, {}, String(from), stop.signal, options.onOpen);
      for await (const event of watch) events.push(event);
    };
    return { events, ended: run() };
  }

  test('tell what has happened since a version, and then what happens', async () => {
    const from = server.cluster.version;
    server.cluster.put(CONFIG_MAPS, configMap('before'));
    const { events, ended } = follow(from);
    await until('the first event', () => events.length === 1);
    server.cluster.put(CONFIG_MAPS, configMap('before', { key: 'ö' }));
    server.cluster.delete(CONFIG_MAPS, 'before', 'team');
    server.bookmark();
    await until('all events', () => events.length === 4);
    server.endWatches();
    await ended;

    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);
    expect(events[1]).toMatchObject({ object: { data: { key: 'ö' } } });
    expect(events[3]).toEqual({ type: 'BOOKMARK', resourceVersion: String(server.cluster.version) });
  });

  test('ask for bookmarks and for an end within 240 to 300 s', async () => {
    const { ended } = follow(7);
    await until('it is open', () => server.openWatches() === 1);
    server.endWatches();
    await ended;

    expect(Object.fromEntries(server.requests[0]!.query)).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '270',
      resourceVersion: '7',
    });
  });

  test('tell when the server has accepted them', async () => {
    const opened = jest.fn();
    const { ended } = follow(server.cluster.version, { onOpen: opened });
    await until('it is open', () => opened.mock.calls.length === 1);
    server.endWatches();
    await ended;
  });

  test('read an event in whatever pieces it comes', async () => {
    const { events, ended } = follow(server.cluster.version);
    await until('it is open', () => server.openWatches() === 1);
    for (const piece of ['{"type":"ADDED","object":{"met', 'adata":{"name":"a"}}}', '\n\n{"type":"NEW"}\n']) {
      server.sendToWatches(piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    server.endWatches();
    await ended;

    expect(events).toEqual([{ type: 'ADDED', object: { metadata: { name: 'a' } } }]);
  });

  test('reject with 410 for a version that is gone, at the start and later', async () => {
    const from = server.cluster.version;
    server.cluster.put(CONFIG_MAPS, configMap('a'));
    server.cluster.compact();
    expect(await rejection(follow(from).ended)).toMatchObject({ code: 410, reason: 'Expired' });

    const { ended } = follow(server.cluster.version);
    await until('it is open', () => server.openWatches() === 1);
    server.expireWatches();
    expect(await rejection(ended)).toMatchObject({ code: 410, message: 'too old resource version' });
  });

  test.each([
    ['what is not JSON', '<html>\n', 'a watch sent what is no event: <html>'],
    ['what is no object', '{"type":"ADDED","object":{}}\n', 'something that is no Kubernetes object'],
    [
      'a bookmark without a version',
      '{"type":"BOOKMARK","object":{"metadata":{}}}\n',
      'a bookmark has no resourceVersion',
    ],
  ])('reject for %s', async (_what, line, message) => {
    const { ended } = follow(server.cluster.version);
    await until('it is open', () => server.openWatches() === 1);
    server.sendToWatches(line);

    const error = await rejection(ended);

    expect(error).toMatchObject({ code: 0, reason: 'Malformed' });
    expect(error.message).toContain(message);
    await until('the connection is given up', () => server.openWatches() === 0);
  });

  test('reject when a line has no end', async () => {
    const { ended } = follow(server.cluster.version);
    await until('it is open', () => server.openWatches() === 1);
    for (let i = 0; i < 17; i++) server.sendToWatches('x'.repeat(1024 * 1024));

    expect((await rejection(ended)).message).toContain('a line is longer than 16777216 bytes');
  });

  test('reject when the connection breaks', async () => {
    const { ended } = follow(server.cluster.version);
    await until('it is open', () => server.openWatches() === 1);
    server.cut();

    expect(await rejection(ended)).toMatchObject({ code: 0, reason: 'Unreachable' });
  });

  test('reject when they end within an event', async () => {
    const { ended } = follow(server.cluster.version);
    await until('it is open', () => server.openWatches() === 1);
    server.sendToWatches('{"type":"ADDED"');
    server.endWatches();

    expect((await rejection(ended)).message).toBe('the watch broke off: it ended within an event');
  });

  test('end after a silence, as over a connection whose other side is gone', async () => {
    client = connect({ silenceMs: 100 });
    const { events, ended } = follow(server.cluster.version);
    await until('it is open', () => server.openWatches() === 1);
    server.freeze();
    server.cluster.put(CONFIG_MAPS, configMap('unheard'));
    await ended;

    expect(events).toEqual([]);
    await until('the connection is given up', () => server.openWatches() === 0);
  });

  test('last longer than a request may', async () => {
    client = connect({ requestTimeoutMs: 50 });
    const { events, ended } = follow(server.cluster.version);
    await until('it is open', () => server.openWatches() === 1);
    await new Promise((resolve) => setTimeout(resolve, 150));
    server.bookmark();
    await until('it is heard', () => events.length === 1);
    server.endWatches();
    await ended;
  });

  test('are kept by every byte', async () => {
    client = connect({ silenceMs: 200 });
    const { events, ended } = follow(server.cluster.version);
    await until('it is open', () => server.openWatches() === 1);
    for (let i = 0; i < 8; i++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      server.bookmark();
    }

    await until('eight bookmarks', () => events.length === 8);
    server.endWatches();
    await ended;
    expect(server.requests).toHaveLength(1);
  });

  test('stop with the signal, and with the reader', async () => {
    const { ended } = follow(server.cluster.version);
    await until('it is open', () => server.openWatches() === 1);
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(ended).rejects.toBe(reason);

    const { signal } = new AbortController();
    server.cluster.put(CONFIG_MAPS, configMap('a'));
    for await (const _event of client.watch(CONFIG_MAPS, {}, '1', signal)) break;
    await until('both are closed', () => server.openWatches() === 0);
  });

  test('that are not answered reject', async () => {
    client = connect({ requestTimeoutMs: 50 });
    server.delayMs = 500;

    expect(await rejection(follow(1).ended)).toMatchObject({ code: 0, reason: 'Timeout' });
  });

  test('do not keep requests from being sent, however many there are', async () => {
    const all = Array.from({ length: 30 }, () => follow(server.cluster.version));
    await until('all are open', () => server.openWatches() === 30);

    expect(await client.get(CONFIG_MAPS, 'a', 'team')).toBeUndefined();
    server.endWatches();
    await Promise.all(all.map(({ ended }) => ended));
  });
});

describe('refusals', () => {
  test('carry what the API server says', async () => {
    const status = {
      kind: 'Status',
      code: 422,
      reason: 'Invalid',
      message: 'Service "a" is invalid: spec.ports: Required value',
      details: { causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.ports' }] },
    };
    server.answer({ code: 422, body: JSON.stringify(status) });

    expect(await rejection(client.create(CONFIG_MAPS, configMap('a')))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'Service "a" is invalid: spec.ports: Required value',
      causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.ports' }],
    });
  });

  test('of something on the way that is no API server are told as they are', async () => {
    server.answer({ code: 502, body: '<h1>Bad gateway</h1>\n' });

    expect(await rejection(client.list(CONFIG_MAPS, {}))).toMatchObject({
      code: 502,
      reason: 'Status502',
      message: 'the API server answered 502: <h1>Bad gateway</h1>',
    });
  });

  test.each([429, 503])('with %d and a time are tried again once, after that time', async (code) => {
    server.answer({ code, retryAfter: 0.1 });
    const start = performance.now();

    await client.create(CONFIG_MAPS, configMap('a'));

    expect(performance.now() - start).toBeGreaterThanOrEqual(100);
    expect(server.requests).toHaveLength(2);
    server.answer({ code, retryAfter: 0.1, times: 2 });
    expect(await rejection(client.create(CONFIG_MAPS, configMap('b')))).toMatchObject({ code, retryAfterMs: 100 });
    expect(server.requests).toHaveLength(4);
  });

  test('that ask for a long wait, or for none, are the caller’s', async () => {
    server.answer({ code: 429, retryAfter: 60 });
    expect(await rejection(client.list(CONFIG_MAPS, {}))).toMatchObject({ code: 429, retryAfterMs: 60_000 });
    server.answer({ code: 503 });
    expect(await rejection(client.list(CONFIG_MAPS, {}))).toMatchObject({ code: 503, retryAfterMs: undefined });
    expect(server.requests).toHaveLength(2);
  });

  test('of credentials are tried again once with those of now', async () => {
    const asked: boolean[] = [];
    const { credentials } = server.access;
    const access = {
      ...server.access,
      credentials: async (refused = false) => {
        asked.push(refused);
        return { ...(await credentials()), headers: { authorization: `Bearer ${asked.length}` } };
      },
    };
    client = connect({ access });
    server.answer({ code: 401 });

    await client.list(CONFIG_MAPS, {});

    expect(asked).toEqual([false, true]);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer 1', 'Bearer 2']);
    server.answer({ code: 401, times: 2 });
    expect(await rejection(client.list(CONFIG_MAPS, {}))).toMatchObject({ code: 401 });
  });
});

describe('faults', () => {
  test('no answer in time', async () => {
    client = connect({ requestTimeoutMs: 50 });
    server.delayMs = 500;

    const error = await rejection(client.list(CONFIG_MAPS, {}));

    expect(error).toMatchObject({ code: 0, reason: 'Timeout', message: 'no answer within 50 ms' });
    expect(error.request).toBe('GET /api/v1/configmaps');
  });

  test('nobody there, and there again', async () => {
    await client.list(CONFIG_MAPS, {});
    server.down();
    expect(await rejection(client.list(CONFIG_MAPS, {}))).toMatchObject({ code: 0, reason: 'Unreachable' });
    server.up();

    expect((await client.list(CONFIG_MAPS, {})).items).toEqual([]);
  });

  test('an answer that is not JSON', async () => {
    server.answer({ code: 200, body: 'hello' });

    expect(await rejection(client.list(CONFIG_MAPS, {}))).toMatchObject({ reason: 'Malformed' });
    server.answer({ code: 200, body: '{}' });
    expect(await rejection(client.list(CONFIG_MAPS, {}))).toMatchObject({ message: 'the answer is not a list' });
    server.answer({ code: 200, body: '{"kind":"ConfigMap"}' });
    expect(await rejection(client.get(CONFIG_MAPS, 'a', 'team'))).toMatchObject({ reason: 'Malformed' });
  });

  test('an answer that is too long', async () => {
    server.answer({ code: 500, body: 'x'.repeat(2 * 1024 * 1024) });

    expect(await rejection(client.list(CONFIG_MAPS, {}))).toMatchObject({ reason: 'TooLarge' });
    await until('the rest is not read', () => server.openConnections === 0);
    expect((await client.list(CONFIG_MAPS, {})).items).toEqual([]);
  });

  test('credentials that cannot be read', async () => {
    client = connect({
      access: { ...server.access, credentials: () => Promise.reject(new Error('the plugin is missing')) },
    });

    expect(await rejection(client.list(CONFIG_MAPS, {}))).toMatchObject({
      reason: 'NoCredentials',
      message: 'the plugin is missing',
    });
  });

  test('the caller’s own signal rejects with its reason', async () => {
    server.delayMs = 500;
    const stop = new AbortController();
    const list = client.list(CONFIG_MAPS, {}, stop.signal);
    stop.abort(new Error('enough'));

    await expect(list).rejects.toThrow('enough');
  });

  test('a closed client sends nothing', async () => {
    await client.list(CONFIG_MAPS, {});
    await client.close();

    expect(await rejection(client.list(CONFIG_MAPS, {}))).toMatchObject({ message: 'the client is closed' });
    expect(server.requests).toHaveLength(1);
  });
});

test('warnings of the API server are passed on, each once', async () => {
  const warnings: string[] = [];
  client = connect({ onWarning: (text) => warnings.push(text) });
  server.warning = 'unknown field \\"spec.color\\"';

  await client.list(CONFIG_MAPS, {});
  await client.list(CONFIG_MAPS, {});

  expect(warnings).toEqual(['unknown field "spec.color"']);
});

test('a few connections are kept, and made anew when certificates change', async () => {
  let connection = { tls: {}, proxy: undefined };
  const access = { ...server.access, credentials: async () => ({ headers: {}, connection }) };
  client = connect({ access });
  const ports = () => new Set(server.requests.map(({ port }) => port));
  for (let i = 0; i < 5; i++) await client.list(CONFIG_MAPS, {});
  expect(ports().size).toBeLessThanOrEqual(2);
  await Promise.all(Array.from({ length: 50 }, () => client.list(CONFIG_MAPS, {})));
  expect(ports().size).toBeLessThanOrEqual(8);

  const before = ports();
  connection = { tls: {}, proxy: undefined };
  await client.list(CONFIG_MAPS, {});

  expect(before.has(server.requests.at(-1)!.port)).toBe(false);
  await until('those of before are closed', () => server.openConnections === 1);
});

test('a path in front of the server’s is kept', async () => {
  client = connect({ access: { ...server.access, server: `${server.url}/clusters/a` } });

  await client.get(CONFIG_MAPS, 'a', 'team');

  expect(server.requests.at(-1)!.path).toBe('/clusters/a/api/v1/namespaces/team/configmaps/a');
});
