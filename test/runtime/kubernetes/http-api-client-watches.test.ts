import type { WatchEvent } from '../../../runtime/kubernetes/api-client';
import type { HttpApiClient, HttpApiClientOptions } from '../../../runtime/kubernetes/http-api-client';
import { FakeApiServer } from '../../support/fake-api-server/fake-api-server';
import { until } from '../../support/until';
import { CONFIG_MAPS, configMap, connectTo, rejection } from './support/api-bench';

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

  test('are given up after a silence, as over a connection whose other side is gone', async () => {
    client = connect({ silenceMs: 100 });
    const { events, ended } = follow(server.cluster.version);
    await until('it is open', () => server.openWatches() === 1);
    server.freeze();
    server.cluster.put(CONFIG_MAPS, configMap('unheard'));

    expect(await rejection(ended)).toMatchObject({ reason: 'Timeout', message: 'the watch said nothing for 0.1 s' });
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
