import { FIELD_MANAGER, writeParents } from '../../../../runtime/inference-pools/status/write-parents';
import { isWrite, LoopBench, POOLS } from './support/loop-bench';
import { pool } from './support/objects';

const NOW = '2026-02-01T00:00:00Z';
const JUDGEMENT = { status: 'True', reason: 'Accepted', message: '' } as const;
const WANTED = [{ namespace: 'team', name: 'gw', conditions: { Accepted: JUDGEMENT, ResolvedRefs: JUDGEMENT } }];
const foreign = (name: string) => ({
  parentRef: { name: 'gw' },
  controllerName: `example.com/${name}`,
  conditions: [{ type: 'Accepted', status: 'True', reason: 'Accepted', message: '', lastTransitionTime: NOW }],
});
const OURS = 'gw True/Accepted True/Accepted';

let bench: LoopBench;
beforeEach(async () => {
  bench = await LoopBench.open();
  bench.put(pool());
});
afterEach(() => bench.close());

const present = () => bench.server.cluster.get(POOLS, 'llama', 'team')!;
const setParents = (...parents: readonly unknown[]) => bench.put({ ...present(), status: { parents } });
const write = (judged = present()) =>
  writeParents(bench.client, { pool: judged, parents: WANTED }, NOW, bench.stop.signal);

test('it writes the status alone, of the version that it has read, and not as the maker of what it makes', async () => {
  const { resourceVersion, uid } = present().metadata;

  expect(await write()).toBe(true);

  expect(bench.told()).toEqual([OURS]);
  const [{ path, query, body } = { path: '', query: new URLSearchParams(), body: '{}' }] = bench.writes();
  expect(path).toBe('/apis/inference.networking.k8s.io/v1/namespaces/team/inferencepools/llama/status');
  expect(query.get('fieldManager')).toBe(FIELD_MANAGER);
  expect(FIELD_MANAGER).not.toBe('inference-gateway-controller');
  const sent = JSON.parse(body) as Record<string, unknown>;
  expect(sent.metadata).toEqual({ name: 'llama', namespace: 'team', uid, resourceVersion });
  expect(Object.keys(sent).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'status']);
});

test('what is there already is not written', async () => {
  const judged = present();
  await write();

  expect(await write(judged)).toBe(false);
  expect(bench.writes()).toHaveLength(1);
});

test('entries that have come since it was judged stay', async () => {
  const judged = present();
  setParents(foreign('a'));

  expect(await write(judged)).toBe(true);
  expect(bench.told()).toEqual(['example.com/a', OURS]);
});

test('where somebody else was first it is tried again with what is there then', async () => {
  const others: ReturnType<typeof foreign>[] = [];
  bench.server.answer({
    code: 409,
    times: 3,
    when(request) {
      if (!isWrite(request) || others.length === 3) return false;
      others.push(foreign(`c${others.length}`));
      setParents(...others);
      return true;
    },
  });

  expect(await write()).toBe(true);

  expect(bench.told()).toEqual(['example.com/c0', 'example.com/c1', 'example.com/c2', OURS]);
  const versions = bench.writes().map(({ body }) => JSON.parse(body).metadata.resourceVersion as string);
  expect(new Set(versions).size).toBe(4);
});

test('a conflict that does not end is a fault', async () => {
  bench.server.answer({ code: 409, times: 100, when: isWrite });

  await expect(write()).rejects.toMatchObject({ code: 409 });
  expect(bench.writes().length).toBeLessThan(10);
});

test('a pool that is gone, or was made anew, is none of those that were judged', async () => {
  const judged = present();
  bench.remove(judged);
  expect(await write(judged)).toBe(false);

  bench.put(pool());
  expect(await write(judged)).toBe(false);
  expect(bench.writes()).toEqual([]);
});

test('one that goes meanwhile is no fault', async () => {
  bench.server.answer({ code: 404, when: isWrite });

  expect(await write()).toBe(false);
});
