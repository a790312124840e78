/** A signal of its own that also follows another, and lets go of it at the end: nothing gathers on a long-lived signal. */
export interface AbortScope {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** No longer follows the other. */
  release(): void;
}

export function abortScope(outer: AbortSignal | undefined): AbortScope {
  const controller = new AbortController();
  const follow = () => controller.abort(outer?.reason);
  if (outer?.aborted) follow();
  else outer?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => outer?.removeEventListener('abort', follow),
  };
}

/** Settles as `promise` does, or rejects with the reason of `signal` when that comes first. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop!);
  }
}
