import { isApiError } from '../../kubernetes/api-error';
import { createWorkQueue } from '../../kubernetes/work-queue';
import { mergeParents } from './merge-parents';
import { POOLS, type PoolInformersOptions, startPoolInformers } from './pool-informers';
import { createPoolLog } from './pool-log';
import { createPutBacks } from './put-backs';
import { type JudgedPool, wantedParents } from './wanted-parents';
import { writeParents } from './write-parents';

export type PoolStatusOptions = Omit<PoolInformersOptions, 'onChange'> & {
  readonly installation: { readonly gatewayControllerName: string };
  /** False while another controller is there, or it is not known whether one is: then nothing is written. */
  readonly mayWrite: (signal: AbortSignal) => Promise<boolean>;
  readonly metrics: {
    /** A status could not be written. `code`: HTTP status; 0: no answer. */
    failed(kind: string, code: number): void;
  };
};

/** Tells in the status of each InferencePool which Gateways lead to it, and whether they can. */
export interface PoolStatusLoop {
  /** Everything is looked at again: it may be that what was not to be written is now. */
  look(): void;
  /** Nothing is under way any more. */
  readonly done: Promise<void>;
}

/** Changes come in bursts. Milliseconds. */
const COALESCE_MS = 50;

/** That kinds cannot be read is told after this time. Milliseconds. */
const UNREAD_MS = 30_000;

/** Key of the look at everything; the others are names of pools, which have a slash. */
const ALL = 'all';

/** Nothing is written, and nothing removed, before everything is known. What a former leader has left is ours. */
export function startPoolStatusLoop(options: PoolStatusOptions): PoolStatusLoop {
  const { client, installation, mayWrite, metrics, clock, random, signal } = options;
  const queue = createWorkQueue({ work, clock, random, signal, onFault });
  const look = () => queue.addAfter(ALL, COALESCE_MS);
  const informers = startPoolInformers({ ...options, onChange: look });
  const putBacks = createPutBacks(clock, random);
  const log = createPoolLog(options.log);
  /** What could not be written, by pool: it is tried again after a while, and not at every change of something else. */
  const failed = new Map<string, string>();
  const startedAt = clock.now();
  let judged: ReadonlyMap<string, JudgedPool> = new Map();

  const now = () => new Date(clock.wall()).toISOString().replace(/\.\d+/, '');

  async function work(key: string): Promise<void> {
    if (key === ALL) await judge();
    else await write(key);
    log.well(poolOf(key));
    failed.delete(key);
  }

  async function judge(): Promise<void> {
    const unread = informers.unknown();
    if (unread.length > 0) return awaitKinds(unread);
    judged = wantedParents(informers.facts(), installation.gatewayControllerName);
    forgetOthers();
    const due = [...judged].filter(([key, { pool, parents }]) => {
      const { changed, leftOut } = mergeParents(pool, parents, pool.metadata.generation, now());
      log.full(key, leftOut);
      return changed && failed.get(key) !== contentOf(parents);
    });
    if (due.length === 0 || !(await mayWrite(signal))) return;
    for (const [key] of due) queue.add(key);
  }

  function awaitKinds(unread: readonly string[]): void {
    if (clock.now() - startedAt >= UNREAD_MS) log.unread(unread);
    queue.addAfter(ALL, UNREAD_MS);
  }

  async function write(key: string): Promise<void> {
    const one = judged.get(key);
    if (one === undefined) return;
    const content = contentOf(one.parents);
    const due = putBacks.dueIn(key, content);
    if (due > 0) return queue.addAfter(key, due);
    failed.set(key, content);
    if (!(await writeParents(client, one, now(), signal))) return;
    const againMs = putBacks.wrote(key, content);
    if (againMs > 0) log.undone(key, againMs);
  }

  function forgetOthers(): void {
    const keys = new Set(judged.keys());
    putBacks.retain(keys);
    log.retain(keys);
    for (const key of failed.keys()) if (!keys.has(key)) failed.delete(key);
  }

  function onFault(key: string, error: Error, retryMs: number): void {
    if (key !== ALL) metrics.failed(POOLS.kind, isApiError(error) ? error.code : 0);
    log.fault(poolOf(key), error, retryMs);
  }

  look();
  return { look, done: Promise.all([queue.done, informers.done]).then(() => {}) };
}

function poolOf(key: string): string | undefined {
  return key === ALL ? undefined : key;
}

function contentOf(parents: JudgedPool['parents']): string {
  return JSON.stringify(parents);
}
