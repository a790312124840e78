import { abortScope } from './abort-scope';
import { isApiError } from './api-error';
import { type Backoff, createBackoff } from './backoff';
import type { Clock } from './clock';

export interface WorkQueueOptions {
  /** Makes the world as the key's object wants it. Rejecting, it is called again later. */
  readonly work: (key: string, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Each rejection; `retryMs`: when the key is due again, milliseconds from now. Must not throw. */
  readonly onFault: (key: string, error: Error, retryMs: number) => void;
  /** Ends it; work under way sees the same signal. */
  readonly signal: AbortSignal;
  /** Keys that are worked on at the same time. Default 4. */
  readonly concurrency?: number;
  /** Delays after failures in a row of one key double from the first to the second. Milliseconds, default 500 and 60000. */
  readonly minBackoffMs?: number;
  readonly maxBackoffMs?: number;
}

export interface WorkQueue {
  /** As soon as a worker is free, whatever the key waits for; once more where it is being worked on. */
  add(key: string): void;
  /** Milliseconds from now. The earliest of several counts. */
  addAfter(key: string, ms: number): void;
  /** Forgets what the key waits for; work under way goes on. */
  forget(key: string): void;
  /** Keys that are due and wait for a worker. */
  depth(): number;
  /** When it has ended, and the work that was under way with it. Never rejects. */
  readonly done: Promise<void>;
}

interface Delay {
  readonly at: number;
  cancel(): void;
}

/** Works on keys, never twice at a time on the same. A key that is added many times before its turn has one turn. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { work, clock, random, onFault, signal } = options;
  const { concurrency = 4, minBackoffMs = 500, maxBackoffMs = 60_000 } = options;
  const due = new Set<string>();
  const running = new Set<string>();
  const delays = new Map<string, Delay>();
  const backoffs = new Map<string, Backoff>();
  let ended: (() => void) | undefined;
  const done = new Promise<void>((resolve) => {
    ended = resolve;
  });

  function add(key: string): void {
    if (signal.aborted) return;
    cancelDelay(key);
    due.add(key);
    start();
  }

  function addAfter(key: string, ms: number): void {
    if (signal.aborted || due.has(key)) return;
    const at = clock.now() + ms;
    const former = delays.get(key);
    if (former !== undefined && former.at <= at) return;
    cancelDelay(key);
    const scope = abortScope(signal);
    delays.set(key, { at, cancel: () => scope.abort() });
    void clock.sleep(ms, scope.signal).then(() => {
      scope.release();
      if (!scope.signal.aborted) add(key);
    });
  }

  function cancelDelay(key: string): void {
    delays.get(key)?.cancel();
    delays.delete(key);
  }

  function forget(key: string): void {
    cancelDelay(key);
    due.delete(key);
    backoffs.delete(key);
  }

  function start(): void {
    if (signal.aborted) return;
    for (const key of due) {
      if (running.size >= concurrency) return;
      if (running.has(key)) continue;
      due.delete(key);
      running.add(key);
      void turn(key);
    }
  }

  async function turn(key: string): Promise<void> {
    try {
      await work(key, signal);
      backoffs.delete(key);
    } catch (error) {
      if (!signal.aborted) tryLater(key, error as Error);
    } finally {
      running.delete(key);
    }
    if (signal.aborted && running.size === 0) ended?.();
    start();
  }

  function tryLater(key: string, error: Error): void {
    const backoff = backoffs.get(key) ?? createBackoff(minBackoffMs, maxBackoffMs, random);
    backoffs.set(key, backoff);
    const asked = isApiError(error) ? (error.retryAfterMs ?? 0) : 0;
    const retryMs = Math.max(backoff.next(), Math.min(asked, maxBackoffMs));
    addAfter(key, retryMs);
    onFault(key, error, retryMs);
  }

  function end(): void {
    due.clear();
    for (const key of [...delays.keys()]) cancelDelay(key);
    if (running.size === 0) ended?.();
  }

  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });

  return { add, addAfter, forget, depth: () => due.size, done };
}
