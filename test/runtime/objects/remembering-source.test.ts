import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { readLastRun } from '../../../runtime/objects/last-run';
import type { ObjectSet } from '../../../runtime/objects/object-source';
import { type RememberingSource, rememberingSource } from '../../../runtime/objects/remembering-source';
import { readStateFile, writeStateFile } from '../../../runtime/objects/state-file';
import { fastClock } from '../../support/clocks';
import { until } from '../../support/until';

let folder: string;
let path: string;
let stop: AbortController;
let answered: boolean;
let give: (set: ObjectSet) => void;
let sets: ObjectSet[];
let logs: string[];
let watching: Promise<void>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remembering-'));
  path = join(folder, 'state.json');
  stop = new AbortController();
  answered = false;
  [sets, logs] = [[], []];
});
afterEach(async () => {
  stop.abort();
  await watching;
  await rm(folder, { recursive: true });
});

/** What takes 5 s takes 50 ms. */
const SPEED = 100;
const set = (name: string): ObjectSet => ({ objects: [{ source: name, value: { kind: name } }] });
const names = () => sets.map(({ objects }) => objects[0]!.source);
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function start(): Promise<RememberingSource> {
  const log = pino({ level: 'warn' }, { write: (line: string) => void logs.push(line) });
  const source = rememberingSource({
    source: {
      async watch(onChange, _onFault, signal) {
        give = onChange;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    },
    isAnswered: () => answered,
    kept: await readLastRun(path, 'team/gw', log),
    path,
    gateway: 'team/gw',
    clock: fastClock(SPEED),
    log,
  });
  watching = source.watch(
    (next) => sets.push(next),
    () => {},
    stop.signal,
  );
  return source;
}

test('a source that answers is followed, whatever the file has', async () => {
  await writeStateFile(path, 'team/gw', set('old'));
  const source = await start();
  answered = true;
  await wait(80);
  give(set('new'));
  await wait(80);
  expect([names(), source.isRemembered(), logs]).toEqual([['new'], false, []]);
});

test("where the source is away for 5 s the last run's objects are given, loudly, until it answers", async () => {
  await writeStateFile(path, 'team/gw', set('old'));
  const source = await start();
  await wait(20);
  expect(sets).toEqual([]);
  await until('they are given', () => sets.length === 1);
  expect([names(), source.isRemembered()]).toEqual([['old'], true]);
  expect(logs.join()).toContain('CANNOT BE REACHED');
  source.keep(set('old'));
  answered = true;
  give(set('new'));
  expect([names(), source.isRemembered()]).toEqual([['old', 'new'], false]);
});

test('a source that is lost after it answered, before it gave a set, is gone on from the file as well', async () => {
  await writeStateFile(path, 'team/gw', set('old'));
  answered = true;
  await start();
  await wait(80);
  expect(sets).toEqual([]);
  answered = false;
  await until('they are given', () => sets.length === 1);
});

test.each([
  ['that is not there', undefined, ''],
  ['of another gateway', '{"version":1,"gateway":"a/b","objects":[]}', 'it is of the gateway a/b'],
  ['that is no file of ours', 'x', 'it is not JSON'],
])('a file %s is passed over', async (_what, text, reason) => {
  if (text !== undefined) await writeFile(path, text);
  await start();
  await wait(120);
  expect(sets).toEqual([]);
  expect(logs.join()).toContain(reason);
  give(set('new'));
  expect(names()).toEqual(['new']);
});

test('what has come into force is kept, the newest last, and not written for each of many changes', async () => {
  const source = await start();
  for (let index = 0; index < 100; index++) source.keep(set(`s${index}`));
  await wait(100);
  expect((await readStateFile(path, 'team/gw'))?.objects[0]?.source).toBe('s99');
});

test('a file that cannot be written is told of, and no more', async () => {
  path = join(folder, 'none', 'state.json');
  (await start()).keep(set('a'));
  await until('it is told', () => logs.some((line) => line.includes('--state-file: the objects could not be kept')));
});
