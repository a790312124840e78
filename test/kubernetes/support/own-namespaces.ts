import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Set for everything that runs in namespaces of its own; a cluster starts nowhere else. */
export const OWN_NAMESPACES = 'KUBERNETES_TEST_NAMESPACES';

/**
 * The first process of the new namespaces: whatever ends it ends all that was started in them, with their mounts and
 * network devices. It ends with the program, and when the pipe of its parent closes, so also when that one is killed.
 * /run is memory of its own, so that what lies there is gone as well.
 */
const INIT = `
mount -t tmpfs -o mode=755 tmpfs /run && ip link set lo up || exit 1
{ read -r _ <&3; kill -KILL -1; } 2>/dev/null &
setsid -w "$@" </dev/null 3<&- &
program=$!
trap 'kill -TERM "$program"' TERM INT HUP
while :; do
  wait "$program"
  code=$?
  kill -0 "$program" 2>/dev/null || break
done
exit "$code"
`;

export interface NamespacedProgram {
  /** For `nsenter -t`: the process whose namespaces they are. Undefined once all has ended. */
  pid(): number | undefined;
  readonly exited: Promise<number>;
}

/**
 * Runs a program with network, mount and process namespaces of its own, loopback up and an empty /run. SIGINT, SIGTERM
 * and SIGHUP of this process reach the program as SIGTERM; a second one ends everything at once.
 */
export function runInOwnNamespaces(command: string, args: readonly string[]): NamespacedProgram {
  const unshare = spawn(
    'unshare',
    [
      '--net',
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
      '/bin/sh',
      '-c',
      INIT,
      'init',
      command,
      ...args,
    ],
    { stdio: ['ignore', 'inherit', 'inherit', 'pipe'], detached: true, env: { ...process.env, [OWN_NAMESPACES]: '1' } },
  );
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    const init = childOf(unshare);
    if (init !== undefined) process.kill(init, signals === 1 ? 'SIGTERM' : 'SIGKILL');
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  const exited = new Promise<number>((resolve, reject) => {
    unshare.once('error', reject);
    unshare.once('exit', (code) => resolve(code ?? 1));
  }).finally(() => {
    for (const name of names) process.off(name, onSignal);
  });
  return { pid: () => childOf(unshare), exited };
}

/** The only child of `process`: the first process of the namespaces, by its number outside them. */
function childOf(parent: ChildProcess): number | undefined {
  if (parent.exitCode !== null) return undefined;
  for (const entry of readdirSync('/proc')) {
    if (/^\d+$/.test(entry) && parentOf(entry) === parent.pid) return Number(entry);
  }
  return undefined;
}

function parentOf(pid: string): number | undefined {
  try {
    // The name, in parentheses, may hold anything: the state and the parent follow the last one.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
