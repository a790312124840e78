import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertRecordable, MAX_WAITING_BYTES, openRecordingFile } from '../../../runtime/recording/recording-file';

const HEADER = '{"recording":1,"gateway":"ns/gw","created":"2026-01-01T00:00:00.000Z"}\n';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recording-'));
  path = join(folder, 'decisions.jsonl');
});
afterEach(() => rm(folder, { recursive: true }));

const fail = (error: unknown) => {
  throw error;
};

test('lines are in the file, in order, once it is closed, and only its owner may read it', async () => {
  const file = await openRecordingFile(path, fail);
  for (let i = 0; i < 1000; i++) file.append(`${i}\n`);
  await file.close();
  expect(await readFile(path, 'utf8')).toBe(Array.from({ length: 1000 }, (_, i) => `${i}\n`).join(''));
  const { mode, size } = await stat(path);
  expect([mode & 0o777, size]).toEqual([0o600, file.size]);
});

test('lines reach the disk without a close', async () => {
  const file = await openRecordingFile(path, fail);
  file.append(HEADER);
  while ((await readFile(path, 'utf8')) !== HEADER) await new Promise((resolve) => setTimeout(resolve, 10));
  await file.close();
});

test.each([
  ['whole', ''],
  ['torn', '{"pick":1,"at'],
])('a recording whose last line is %s is added to from a new line on', async (_, torn) => {
  await writeFile(path, HEADER + torn);
  const file = await openRecordingFile(path, fail);
  file.append(HEADER);
  await file.close();
  expect((await readFile(path, 'utf8')).split('\n').filter(Boolean)).toEqual(
    [HEADER, torn, HEADER].map((line) => line.trim()).filter(Boolean),
  );
});

test('a line is refused while too much waits, and taken again when the disk has caught up', async () => {
  const file = await openRecordingFile(path, fail);
  const line = `${'x'.repeat(MAX_WAITING_BYTES / 4)}\n`;
  const taken = Array.from({ length: 6 }, () => file.append(line));
  expect(taken).toEqual([true, true, true, false, false, false]);
  while (!file.append(line)) await new Promise((resolve) => setTimeout(resolve, 10));
  await file.close();
  expect((await stat(path)).size).toBe(4 * line.length);
});

test('what is no recording is not written to', async () => {
  await writeFile(path, 'kind: Pod\n');
  await expect(assertRecordable(path)).rejects.toThrow(`${path} exists and is no recording; name another file`);
  await expect(assertRecordable(folder)).rejects.toThrow(folder);
  const nowhere = join(folder, 'none', 'file');
  await expect(assertRecordable(nowhere)).rejects.toThrow(
    `${nowhere} cannot be written, name another file with --record`,
  );
  expect(await readFile(path, 'utf8')).toBe('kind: Pod\n');
});
