import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCluster } from '../support/cluster';
import { until } from '../support/until';
import { SERVER_IMAGE, serverObjects } from './support/server';

const MARKER = 'left-over-marker';
const TSX = join(__dirname, '../../../node_modules/tsx/dist/cli.mjs');

/** The command lines of all processes that this one can see. */
const processes = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        return [];
      }
    });
const mounts = () =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line !== '');
const netns = () => (existsSync('/run/netns') ? readdirSync('/run/netns') : []);

async function leaveBehind(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [TSX, join(__dirname, 'support/leave-behind.ts'), MARKER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout!, 'data');
  return child;
}

const gone = () =>
  until('its processes end', () => !processes().some((line) => line.includes(MARKER)), { timeout: 10_000 });

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a run that is ended by %s leaves no process, network namespace or mount',
  async (signal) => {
    const before = mounts();
    const child = await leaveBehind();
    expect(processes().filter((line) => line.includes(MARKER)).length).toBeGreaterThan(1);
    // tsx runs the program as a child: the one that is killed is the one that made the namespaces.
    process.kill(await programOf(child), signal);

    await gone();
    expect(mounts()).toEqual(before);
    expect(netns()).not.toContain(MARKER);
  },
);

test('a cluster that is closed leaves nothing to the next one', async () => {
  const before = { mounts: mounts(), netns: netns() };
  const cluster = await startCluster({ images: { 'test/server': SERVER_IMAGE } });
  await cluster.apply(serverObjects('server', { replicas: 2 }));
  await cluster.rolledOut('default', 'server');
  await cluster.close();

  expect({ mounts: mounts(), netns: netns() }).toEqual(before);
  expect(processes().filter((line) => /test-server|kube-|etcd/.test(line))).toEqual([]);
});

async function programOf(child: ChildProcess): Promise<number> {
  return until('the program that tsx runs', () => {
    const found = readdirSync('/proc').find((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === child.pid;
      } catch {
        return false;
      }
    });
    return found === undefined ? undefined : Number(found);
  });
}
