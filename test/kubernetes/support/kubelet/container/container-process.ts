import { spawn } from 'node:child_process';
import { chmod, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type RootPlan, rootScript } from './container-root';
import { becomeArguments, type Identity } from './identity';
import { quote } from './quote';

export interface ProcessPlan {
  readonly netns: string;
  readonly root: RootPlan;
  /** Text of files below the container's /etc. */
  readonly etc: Readonly<Record<string, string>>;
  readonly identity: Identity;
  readonly workingDir: string;
  readonly environment: ReadonlyMap<string, string>;
  readonly command: readonly string[];
  readonly logFile: string;
}

/** The first process of a running container. */
export interface ContainerProcess {
  readonly pid: number;
  /** The exit code, 128 + n after a signal. */
  readonly exited: Promise<number>;
  kill(signal: NodeJS.Signals): void;
  /** Runs a command in the container as its process; its exit code and what it printed. */
  exec(command: readonly string[], timeoutMs: number): Promise<ExecResult>;
}

export interface ExecResult {
  readonly code: number;
  readonly output: string;
}

/** Starts a container. Rejects with what was said where its surroundings cannot be made. */
export async function startProcess(plan: ProcessPlan): Promise<ContainerProcess> {
  await prepareFolder(plan);
  const log = await open(plan.logFile, 'a');
  // What the container writes to /dev/stdout it opens anew, as its own user.
  await chmod(plan.logFile, 0o666);
  const script = join(plan.root.folder, 'start.sh');
  const supervisor = spawn(
    'nsenter',
    [`--net=${plan.netns}`, 'unshare', '--mount', '--uts', '--ipc', '/bin/sh', '-e', script],
    { stdio: ['ignore', log.fd, log.fd, 'pipe', 'pipe'] },
  );
  await log.close();
  const ended = new Promise<number>((resolve) => {
    supervisor.once('error', () => resolve(127));
    supervisor.once('exit', (code) => resolve(code ?? 137));
  });
  const [pidText, trouble] = await Promise.all([
    readAll(supervisor.stdio[3] as Readable),
    readAll(supervisor.stdio[4] as Readable),
  ]);
  const pid = Number(pidText);
  if (!(pid > 0)) {
    await ended;
    throw new Error(`cannot make the container: ${trouble.trim() || 'its shell ended'}`);
  }
  let running = true;
  const exited = ended.finally(() => {
    running = false;
  });
  return {
    pid,
    exited,
    kill(signal) {
      if (!running) return;
      try {
        process.kill(pid, signal);
      } catch {
        // It ended between the check and the signal.
      }
    },
    exec: (command, timeoutMs) => exec(pid, plan, command, timeoutMs),
  };
}

async function prepareFolder({ root, etc, identity, workingDir, environment, command }: ProcessPlan): Promise<void> {
  const { folder } = root;
  for (const name of ['upper', 'work', 'root']) {
    await rm(join(folder, name), { recursive: true, force: true });
    await mkdir(join(folder, name), { recursive: true });
  }
  await mkdir(join(folder, 'upper', 'etc'));
  for (const [name, text] of Object.entries(etc)) await writeFile(join(folder, 'upper', 'etc', name), text);

  const become = [...becomeArguments(identity), ...environmentArguments(environment, workingDir), ...command];
  await writeFile(
    join(folder, 'enter.sh'),
    `mount -t proc proc ${quote(`${folder}/root/proc`)} 2>&4
exec chroot ${quote(`${folder}/root`)} ${become.map(quote).join(' ')} 3>&- 4>&-
`,
  );
  // The first child of the last shell is the first process of the new process namespace: what it started ends with it.
  await writeFile(
    join(folder, 'start.sh'),
    `exec 5>&2 2>&4
${rootScript(root)}
exec unshare --pid /bin/sh -c '/bin/sh -e "$0" 2>&5 5>&- & echo $! >&3; exec 2>/dev/null 3>&- 4>&- 5>&-; wait $!' ${quote(`${folder}/enter.sh`)}
`,
  );
}

function environmentArguments(environment: ReadonlyMap<string, string>, workingDir: string): readonly string[] {
  return ['env', '-i', `--chdir=${workingDir}`, ...[...environment].map(([name, value]) => `${name}=${value}`)];
}

function exec(pid: number, plan: ProcessPlan, command: readonly string[], timeoutMs: number): Promise<ExecResult> {
  return new Promise((resolve) => {
    const child = spawn(
      'nsenter',
      [
        ...[`--target=${pid}`, '--mount', '--pid', '--net', '--uts', '--ipc', '--root'],
        ...[...becomeArguments(plan.identity), ...environmentArguments(plan.environment, plan.workingDir), ...command],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs, killSignal: 'SIGKILL' },
    );
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8192);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => resolve({ code: 126, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 137, output }));
  });
}

async function readAll(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}
