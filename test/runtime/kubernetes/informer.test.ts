import { pino } from 'pino';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { fastClock } from '../../support/clocks';
import { until } from '../../support/until';
import { GATEWAYS, InformerBench, PODS, pod, type Started } from './support/informer-bench';

let bench: InformerBench;
beforeEach(async () => {
  bench = await InformerBench.open();
});
afterEach(() => bench.close());

function namesOf({ informer }: Started): string[] {
  return informer.list().map(({ metadata }) => metadata.name);
}

const lists = () => bench.server.requests.filter(({ query }) => !query.has('watch')).length;
const watches = () => bench.server.requests.filter(({ query }) => query.has('watch')).length;

test('knows what there is, then what changes', async () => {
  bench.server.cluster.put(PODS, pod('a'));
  bench.server.cluster.put(PODS, pod('b'));
  const started = bench.start();
  await bench.synced(started);
  expect(started.changes).toEqual(['+a', '+b']);
  expect(started.syncs).toEqual(['synced']);

  bench.server.cluster.put(PODS, pod('a', 'Failed'));
  bench.server.cluster.put(PODS, pod('c'));
  bench.server.cluster.delete(PODS, 'b', 'team');

  await until('all is heard', () => started.changes.length === 5);
  expect(started.changes.slice(2)).toEqual(['~a', '+c', '-b']);
  expect(namesOf(started)).toEqual(['a', 'c']);
  expect(started.informer.get('a', 'team')).toMatchObject({ kind: 'Pod', status: { phase: 'Failed' } });
  expect(started.informer.get('a', 'other')).toBeUndefined();
});

test('an object that is made anew under its name is gone and then new', async () => {
  bench.server.cluster.put(PODS, pod('a'));
  const started = bench.start();
  await bench.synced(started);

  bench.server.down();
  bench.server.cluster.delete(PODS, 'a', 'team');
  bench.server.cluster.put(PODS, pod('a'));
  bench.server.cluster.compact();
  bench.server.up();

  await until('it is heard', () => started.changes.length === 3);
  expect(started.changes).toEqual(['+a', '-a', '+a']);
});

test('an object that no longer matches the selector is gone', async () => {
  bench.server.cluster.put(PODS, pod('a', 'Running', { labels: { app: 'x' } }));
  const started = bench.start({ selection: { namespace: 'team', labelSelector: 'app=x' } });
  await bench.synced(started);

  bench.server.cluster.put(PODS, pod('a', 'Running', { labels: { app: 'y' } }));

  await until('it is heard', () => started.changes.length === 2);
  expect(started.changes).toEqual(['+a', '-a']);
});

test('a watch that ends is continued from the last version, without a list', async () => {
  const started = bench.start();
  await bench.synced(started);
  bench.server.cluster.put(PODS, pod('a'));
  await until('it is heard', () => started.changes.length === 1);
  const version = String(bench.server.cluster.version);
  await new Promise((resolve) => setTimeout(resolve, 20));

  bench.server.endWatches();
  await until('it watches again', () => watches() === 2 && bench.server.openWatches() === 1);
  bench.server.cluster.put(PODS, pod('b'));
  await until('the next is heard', () => started.changes.length === 2);

  expect(bench.server.requests.at(-1)!.query.get('resourceVersion')).toBe(version);
  expect(lists()).toBe(1);
  expect(started.faults).toEqual([]);
});

test('a bookmark moves the version that a watch is continued from', async () => {
  const started = bench.start();
  await bench.synced(started);
  const other = bench.server.cluster.put(GATEWAYS, { metadata: { name: 'x', namespace: 'team' } });
  bench.server.bookmark();
  bench.server.cluster.compact();
  await new Promise((resolve) => setTimeout(resolve, 20));

  bench.server.endWatches();
  await until('it watches again', () => watches() === 2 && bench.server.openWatches() === 1);

  expect(bench.server.requests.at(-1)!.query.get('resourceVersion')).toBe(other.metadata.resourceVersion);
  expect(lists()).toBe(1);
});

test('a watch that ends as it begins is not asked for again without a pause', async () => {
  const started = bench.start();
  await bench.synced(started);
  bench.server.answer({ code: 200, body: '', when: ({ query }) => query.has('watch'), times: 1000 });
  bench.server.endWatches();
  await until('some have ended', () => started.faults.length >= 5);

  expect(started.faults[0]).toBe('the watch ended as it began');
  expect(watches()).toBeLessThan(10);
});

test('what happened while the API server was away is heard afterwards, without a list', async () => {
  bench.server.cluster.put(PODS, pod('a'));
  const started = bench.start();
  await bench.synced(started);

  bench.server.down();
  bench.server.cluster.delete(PODS, 'a', 'team');
  bench.server.cluster.put(PODS, pod('b'));
  await until('it has failed several times', () => started.faults.length >= 4);
  expect(namesOf(started)).toEqual(['a']);
  bench.server.up();

  await until('all is heard', () => started.changes.length === 3);
  expect(started.changes).toEqual(['+a', '-a', '+b']);
  expect(lists()).toBe(1);
});

test.each([
  ['at the start of a watch', () => bench.server.cut()],
  ['within a watch', () => bench.server.expireWatches()],
])('a version that is gone %s: all is listed, and what has vanished is told', async (_when, fault) => {
  bench.server.cluster.put(PODS, pod('a'));
  bench.server.cluster.put(PODS, pod('b'));
  const started = bench.start();
  await bench.synced(started);

  bench.server.freeze();
  bench.server.cluster.delete(PODS, 'a', 'team');
  bench.server.cluster.put(PODS, pod('c'));
  bench.server.cluster.compact();
  fault();
  bench.server.cut();

  await until('all is heard', () => started.changes.length === 4);
  expect(started.changes).toEqual(['+a', '+b', '-a', '+c']);
  expect(lists()).toBe(2);
});

test('a connection whose other side is gone is found by its silence', async () => {
  const started = bench.start();
  await bench.synced(started);

  bench.server.freeze();
  bench.server.cluster.put(PODS, pod('a'));

  await until('it is heard', () => started.changes.length === 1);
  expect(started.faults).toEqual(['the watch said nothing for 0.5 s']);
});

test('a version that the server does not know yet is given up', async () => {
  const started = bench.start();
  await bench.synced(started);
  const body = JSON.stringify({
    kind: 'Status',
    code: 504,
    reason: 'Timeout',
    message: 'Too large resource version: 9000, current: 12',
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
  });
  bench.server.answer({ code: 504, body, when: ({ query }) => query.has('watch') });
  bench.server.cut();

  await until('it lists again', () => lists() >= 2);
});

test('everything is listed again from time to time, whatever the watch says', async () => {
  bench.server.cluster.put(PODS, pod('a'));
  const started = bench.start({ relistMs: 20_000 });
  await bench.synced(started);
  bench.server.mute = true;
  bench.server.cluster.delete(PODS, 'a', 'team');

  await until('the loss is found', () => started.changes.length === 2);

  expect(started.changes).toEqual(['+a', '-a']);
  await until('it lists again and again', () => lists() >= 4);
  expect(started.faults).toEqual([]);
});

test('what has not changed is not told again by a list', async () => {
  bench.server.cluster.put(PODS, pod('a'));
  const started = bench.start({ relistMs: 5_000 });
  await bench.synced(started);
  const before = started.informer.get('a', 'team');

  await until('it has listed again', () => lists() >= 3);

  expect(started.changes).toEqual(['+a']);
  expect(started.informer.get('a', 'team')).toBe(before);
});

test('staleness is the time since the server last said something', async () => {
  const started = bench.start({ clock: fastClock(1) });
  await bench.synced(started);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(started.informer.stalenessMs()).toBeGreaterThanOrEqual(90);

  bench.server.bookmark();
  await until('the bookmark counts', () => started.informer.stalenessMs() < 50);
  bench.server.down();
  await new Promise((resolve) => setTimeout(resolve, 100));

  expect(started.informer.stalenessMs()).toBeGreaterThanOrEqual(90);
});

test('objects are frozen, without managed fields, and no more of them is kept than asked for', async () => {
  bench.server.cluster.put(PODS, { ...pod('a'), spec: { containers: [{ name: 'x' }] } });
  bench.server.cluster.put(PODS, pod('b', 'Running', { managedFields: [{ manager: 'kubectl' }] }));
  const trim = ({ apiVersion, kind, metadata, status }: KubernetesObject) => ({ apiVersion, kind, metadata, status });
  const started = bench.start({ trim });
  await bench.synced(started);

  const { status, spec } = started.informer.get('a', 'team')!;
  expect(spec).toBeUndefined();
  expect(() => Object.assign(status as object, { phase: 'Failed' })).toThrow(TypeError);
  expect(started.informer.get('b', 'team')!.metadata).not.toHaveProperty('managedFields');
});

test('a listener that throws harms nobody', async () => {
  bench.server.cluster.put(PODS, pod('a'));
  const heard: string[] = [];
  const started = bench.start({
    onChange: (_old, now) => {
      heard.push(now?.metadata.name ?? '');
      throw new Error('broken');
    },
  });
  await bench.synced(started);
  bench.server.cluster.put(PODS, pod('b'));

  await until('the next is heard', () => heard.length === 2);
  expect(started.faults).toEqual([]);
});

test('a fault is logged once, and its end', async () => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
  const started = bench.start({ log });
  await bench.synced(started);
  bench.server.answer({ code: 500, times: 4 });
  bench.server.cut();
  await until('it watches again', () => started.faults.length === 5 && bench.server.openWatches() === 1);
  await until('the end is logged', () => lines.includes('pods: watched again'));
  const before = watches();
  bench.server.bookmark();
  bench.server.endWatches();
  await until('it watches on', () => watches() > before && bench.server.openWatches() === 1);

  expect(lines).toEqual([
    expect.stringMatching(/^pods: the watch broke off: .*; what is known of them is kept$/),
    'pods: planned 500; what is known of them is kept',
    'pods: watched again',
  ]);
});

test('ends with its signal, and leaves nothing open', async () => {
  const started = bench.start();
  await bench.synced(started);

  bench.stop.abort();
  await started.informer.done;

  await until('nothing is open', () => bench.server.openWatches() === 0);
  expect(started.faults).toEqual([]);
});
