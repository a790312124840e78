import { chmod, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectSet } from '../../../runtime/objects/object-source';
import { readStateFile, writeStateFile } from '../../../runtime/objects/state-file';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'state-file-'));
  path = join(folder, 'state.json');
});
afterEach(() => rm(folder, { recursive: true }));

const SET: ObjectSet = { objects: [{ source: 'pods/a', value: { kind: 'Pod', metadata: { name: 'a' } } }] };

test('what is put there comes back, for its owner only, and nothing else is left', async () => {
  await writeFile(`${path}.next`, 'of a process that was killed');
  await chmod(`${path}.next`, 0o666);
  await writeStateFile(path, 'team/gw', SET);
  await writeStateFile(path, 'team/gw', { objects: [...SET.objects, ...SET.objects] });
  await writeStateFile(path, 'team/gw', SET);
  expect(await readStateFile(path, 'team/gw')).toEqual(SET);
  expect(await readdir(folder)).toEqual(['state.json']);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('where nothing was put there is nothing', async () => {
  expect(await readStateFile(path, 'team/gw')).toBeUndefined();
});

test.each([
  ['of another gateway', JSON.stringify({ version: 1, gateway: 'team/other', objects: [] }), 'gateway team/other'],
  [
    'of another release',
    JSON.stringify({ version: 0, gateway: 'team/gw', objects: [] }),
    'not written by this release',
  ],
  ['that is cut off', '{"version":1,"gateway":"team/g', 'it is not JSON'],
  ['that is something else', '[]', 'not written by this release'],
])('a file %s is refused, with the reason', async (_what, text, reason) => {
  await writeFile(path, text);
  await expect(readStateFile(path, 'team/gw')).rejects.toThrow(reason);
});

test('a file that cannot be read is refused, and a set too large is not written', async () => {
  await symlink(path, path);
  await expect(readStateFile(path, 'team/gw')).rejects.toThrow('cannot be read: ELOOP');
  await rm(path);
  const large = { objects: [{ source: 'x', value: 'y'.repeat(17 * 1024 * 1024) }] };
  await expect(writeStateFile(path, 'team/gw', large)).rejects.toThrow('at most 16777216 are kept');
  expect(await readdir(folder)).toEqual([]);
});
