import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { BOOTSTRAP_FILE, type EnvoyFile, LISTENER_NAME } from '../../lib/translate/envoy';
import { createBackoff } from './backoff';
import { createEnvoyAdmin, type EnvoyUpdates } from './envoy-admin';
import { type GuardedProcess, spawnGuarded } from './guarded-process';

/** A real Envoy that reads its configuration from files, restarted with backoff when it ends. */
export interface EnvoyProcess {
  pid(): number | undefined;
  /** The port on which clients are served; it stays the same across restarts. */
  readonly port: number;
  /**
   * Writes the files, in their order, and resolves once Envoy serves by them. Rejects, with the former files in place
   * again, when it refuses one or does not take it over in time.
   */
  publish(files: FilesFor): Promise<void>;
  close(): Promise<void>;
}

/** Envoy's files, with this port to listen on; 0 is any free one. */
type FilesFor = (port: number) => readonly EnvoyFile[];

export interface EnvoyProcessOptions {
  readonly binary: string;
  readonly workDir: string;
  readonly adminSocket: string;
  /** Worker threads. */
  readonly concurrency: number;
  /** The port to listen on; 0 takes a free one and keeps it. */
  readonly port: number;
  readonly files: FilesFor;
  readonly log: Logger;
}

const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5_000;
const START_TIMEOUT_MS = 15_000;
const PUBLISH_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 5_000;
const POLL_MS = 20;
/** Longer than any generation. */
const DRAIN_SECONDS = 3_600;
const NOTHING_KNOWN: EnvoyUpdates = { texts: new Map(), rejected: 0, warming: 0 };
/** Lines of Envoy's log that an early end is explained with. */
const LAST_WORDS = 5;

/** Starts Envoy and resolves once it serves. Rejects with Envoy's own last words when it cannot. */
export async function startEnvoyProcess(options: EnvoyProcessOptions): Promise<EnvoyProcess> {
  const { log, workDir } = options;
  const admin = createEnvoyAdmin(options.adminSocket);
  const closing = new AbortController();
  const backoff = createBackoff(BACKOFF_MIN_MS, BACKOFF_MAX_MS);
  let current: GuardedProcess | undefined;
  let lastWords: string[] = [];
  let { files } = options;
  let writing: Promise<unknown> = Promise.resolve();
  /** In the files: what was asked for until Envoy has found one, and that one from its first restart on. */
  let configuredPort = options.port;
  let port = 0;

  const start = async () => {
    const envoy = await spawnGuarded(options.binary, [
      ...['-c', join(workDir, BOOTSTRAP_FILE)],
      ...['--concurrency', String(options.concurrency)],
      ...['--log-level', 'warning', '--disable-hot-restart'],
      // A change of the listener ends each connection with its next answer, and cuts those that still have none later.
      ...['--drain-strategy', 'immediate', '--drain-time-s', String(DRAIN_SECONDS)],
      // A dead processor is told of once, by the supervisor, not by each request.
      ...['--component-log-level', 'ext_proc:error'],
    ]);
    current = envoy;
    lastWords = [];
    createInterface({ input: envoy.stderr }).on('line', (line) => {
      log.debug({ envoy: line }, 'envoy log');
      // A line of the access log explains nothing.
      if (line.startsWith('{')) return;
      lastWords.push(line);
      if (lastWords.length > LAST_WORDS) lastWords.shift();
    });
    return envoy;
  };

  /** Resolves with the port on which clients are served. */
  const untilServing = async (envoy: GuardedProcess): Promise<number> => {
    let ended: number | undefined;
    void envoy.exited.then((code) => {
      ended = code;
    });
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (!(await admin.live())) {
      if (ended !== undefined)
        throw new Error(`Envoy ended with code ${ended}: ${lastWords.join(' | ') || 'it said nothing'}`);
      if (performance.now() > deadline) throw new Error(`Envoy was not ready within ${START_TIMEOUT_MS / 1000} s`);
      await sleep(POLL_MS);
    }
    const found = await admin.listenerPort(LISTENER_NAME);
    if (found === undefined) throw new Error(`Envoy does not listen: ${lastWords.join(' | ') || 'see its log'}`);
    return found;
  };

  const stop = async (envoy: GuardedProcess) => {
    envoy.kill('SIGTERM');
    // A stopped process takes the signal only once it goes on.
    envoy.kill('SIGCONT');
    const killer = setTimeout(() => envoy.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await envoy.exited;
    clearTimeout(killer);
  };

  /** The next Envoy; undefined when there shall be none. */
  const restart = async (): Promise<GuardedProcess | undefined> => {
    for (;;) {
      await sleep(backoff.next(), undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return undefined;
      try {
        await write(files);
        const envoy = await start();
        if (closing.signal.aborted) await stop(envoy);
        else {
          void untilServing(envoy).then(
            () => backoff.reset(),
            (error: Error) => {
              if (!closing.signal.aborted) log.error({ reason: error.message }, 'envoy did not come back');
              // Another end, and so another try.
              envoy.kill('SIGKILL');
            },
          );
          return envoy;
        }
      } catch (error) {
        log.error({ reason: (error as Error).message }, 'envoy cannot be started');
      }
    }
  };

  const supervise = async (first: GuardedProcess) => {
    for (let envoy: GuardedProcess | undefined = first; envoy !== undefined; envoy = await restart()) {
      const code = await envoy.exited;
      current = undefined;
      if (closing.signal.aborted) return;
      configuredPort = port;
      log.warn({ exit: code, lastWords }, 'envoy ended; restarting it');
    }
  };

  await write(files);
  const first = await start();
  try {
    port = await untilServing(first);
  } catch (error) {
    await stop(first);
    await admin.close();
    throw error;
  }
  const done = supervise(first);
  return {
    pid: () => current?.pid,
    port,
    async publish(next) {
      if (closing.signal.aborted) return;
      const before =
        current === undefined
          ? 0
          : await admin.updates().then(
              ({ rejected }) => rejected,
              () => 0,
            );
      const previous = files;
      const written = await write(next);
      // An Envoy that is away reads the files when it comes back.
      if (current === undefined) return;
      try {
        await untilInForce(current, written, before);
      } catch (error) {
        // What this Envoy has refused, the next one could not start with.
        await write(previous);
        throw error;
      }
    },
    async close() {
      closing.abort();
      if (current !== undefined) await stop(current);
      await done;
      await admin.close();
    },
  };

  /** One after the other: a restart may meet an edit. */
  function write(next: FilesFor): Promise<readonly EnvoyFile[]> {
    files = next;
    const written = writing.then(async () => {
      const list = next(configuredPort);
      await writeFiles(workDir, list);
      return list;
    });
    writing = written.catch(() => {});
    return written;
  }

  async function untilInForce(
    envoy: GuardedProcess,
    files: readonly EnvoyFile[],
    rejectedBefore: number,
  ): Promise<void> {
    const deadline = performance.now() + PUBLISH_TIMEOUT_MS;
    while (!closing.signal.aborted && current === envoy) {
      const { texts, rejected, warming } = await admin.updates().catch(() => NOTHING_KNOWN);
      const taken = files.every(({ applied }) => applied === undefined || texts.get(applied.stat) === applied.version);
      if (taken && warming === 0) return;
      if (rejected > rejectedBefore) throw new Error(`Envoy refused the new configuration: ${lastWords.at(-1) ?? ''}`);
      if (performance.now() > deadline) throw new Error('Envoy did not take over the new configuration in time');
      await sleep(POLL_MS);
    }
  }
}

/** Each file appears whole: written beside its place, then renamed, which is also what Envoy watches for. */
async function writeFiles(workDir: string, files: readonly EnvoyFile[]): Promise<void> {
  for (const file of files) {
    const path = join(workDir, file.path);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.next`, file.content);
    await rename(`${path}.next`, path);
  }
}
