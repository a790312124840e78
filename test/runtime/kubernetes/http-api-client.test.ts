import type { HttpApiClient, HttpApiClientOptions } from '../../../runtime/kubernetes/http-api-client';
import { resourceOf } from '../../../runtime/kubernetes/resources';
import { FakeApiServer } from '../../support/fake-api-server/fake-api-server';
import { until } from '../../support/until';
import { CONFIG_MAPS, configMap, connectTo, rejection } from './support/api-bench';

const NAMESPACES = resourceOf('v1', 'Namespace');
const GATEWAYS = resourceOf('gateway.networking.k8s.io/v1', 'Gateway');

let server: FakeApiServer;
let client: HttpApiClient;

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = connectTo(server);
});

afterEach(async () => {
  await client.close();
  await server.close();
});

const connect = (options: Partial<HttpApiClientOptions>) => connectTo(server, options);

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
