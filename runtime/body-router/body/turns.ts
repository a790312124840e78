/**
 * Work on a body that stops (`yield`) after each slice of about `SLICE_BYTES`, so that a large body does not hold up
 * the requests beside it.
 */
export type Sliced<T> = Generator<void, T, void>;

/** Work between two yields: about a quarter of a millisecond. */
export const SLICE_BYTES = 256 * 1024;

/** Does all the work at once; for bodies of one slice. */
export function runNow<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Does the work of many bodies a slice at a time, in rotation, one slice of all of them a turn of the event loop. */
export interface Turns {
  /** `wanted` is asked before each slice: work that is wanted no more is dropped, with its body, and resolves to undefined. */
  run<T>(work: Sliced<T>, wanted: () => boolean): Promise<T | undefined>;
}

const DROPPED = { done: true, value: undefined } as const;

/** `yieldTurn` resolves when the event loop has served what was waiting. */
export function createTurns(yieldTurn: () => Promise<void>): Turns {
  const queue: Array<() => boolean> = [];
  let running = false;

  async function rotate(): Promise<void> {
    running = true;
    for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
      if (!step()) queue.push(step);
      await yieldTurn();
    }
    running = false;
  }

  return {
    run: <T>(work: Sliced<T>, wanted: () => boolean) =>
      new Promise<T | undefined>((resolve, reject) => {
        queue.push(() => {
          try {
            const step = wanted() ? work.next() : DROPPED;
            if (step.done !== true) return false;
            resolve(step.value);
          } catch (error) {
            reject(error);
          }
          return true;
        });
        if (!running) rotate().catch(reject);
      }),
  };
}
