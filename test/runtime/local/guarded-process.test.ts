import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { spawnGuarded } from '../../../runtime/local/guarded-process';

const alive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const untilGone = async (pid: number) => {
  for (let i = 0; i < 500 && alive(pid); i++) await sleep(10);
  return !alive(pid);
};

test('tells the exit code of the program', async () => {
  const program = await spawnGuarded('/bin/sh', ['-c', 'exit 7']);

  expect(await program.exited).toBe(7);
});

test('passes the program standard error on', async () => {
  const program = await spawnGuarded('/bin/sh', ['-c', 'echo last words >&2']);

  let text = '';
  for await (const chunk of program.stderr) text += chunk;
  expect(text).toBe('last words\n');
});

test('a program that writes more than a pipe holds to its standard output is not held up', async () => {
  const program = await spawnGuarded('/bin/sh', ['-c', 'head -c 1000000 /dev/zero; exit 3']);

  expect(await program.exited).toBe(3);
});

test('signals reach the program itself', async () => {
  const program = await spawnGuarded('/bin/sleep', ['60']);

  program.kill('SIGTERM');

  expect(await program.exited).toBe(143);
  expect(alive(program.pid)).toBe(false);
});

test('a program that does not exist ends with code 127', async () => {
  const program = await spawnGuarded('/does/not/exist', []);

  expect(await program.exited).toBe(127);
});

test('the program ends when its parent is killed with SIGKILL', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'guard-'));
  const script = join(dir, 'parent.js');
  const bundled = join(dir, 'guarded-process.js');
  buildSync({
    entryPoints: [join(__dirname, '../../../runtime/local/guarded-process.ts')],
    outfile: bundled,
    bundle: true,
    platform: 'node',
  });
  writeFileSync(
    script,
    `require(${JSON.stringify(bundled)}).spawnGuarded('/bin/sleep', ['60']).then((p) => process.send(p.pid));`,
  );
  const parent = fork(script);
  const pid = await new Promise<number>((resolve) => parent.once('message', (message) => resolve(Number(message))));
  expect(alive(pid)).toBe(true);

  parent.kill('SIGKILL');

  expect(await untilGone(pid)).toBe(true);
  rmSync(dir, { recursive: true });
});
