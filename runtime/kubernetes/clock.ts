/** Time, as an argument. */
export interface Clock {
  /** Milliseconds, never going back; only differences mean anything. */
  now(): number;
  /** Milliseconds since 1970: for time stamps that others read, never to measure with. */
  wall(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Node's timers go no further. Milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const wait = (left: number): NodeJS.Timeout =>
        left <= LONGEST_TIMER_MS
          ? setTimeout(end, Math.max(0, left))
          : setTimeout(() => {
              timer = wait(left - LONGEST_TIMER_MS);
            }, LONGEST_TIMER_MS);
      let timer = wait(ms);
      signal?.addEventListener('abort', end, { once: true });
    }),
};
