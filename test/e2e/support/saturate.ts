import { setTimeout as sleep } from 'node:timers/promises';
import { chatBody, send } from './send';

/** Six of them fill the KV cache of `llama-8b-a10g`; all of them take it some 15 s at a test's speed. */
const REQUESTS = 200;
const PROMPT_WORDS = 4_000;
const PROBE_EVERY_MS = 50;
const GIVE_UP_MS = 15_000;

/** Flags of a pod that can be saturated. */
export const SMALL_POD_FLAGS = ['--profile', 'llama-8b-a10g'] as const;

/** A queue that a pool with little load drains within this time. */
export const SHORT_QUEUE = { maxQueueTime: '100ms' } as const;

/**
 * Sends more long requests at once than a pod with `SMALL_POD_FLAGS` holds, runs `action` once the gateway refuses
 * requests for the model, and takes the load away afterwards.
 */
export async function whileSaturated<T>(url: string, model: string, action: () => Promise<T>): Promise<T> {
  const load = new AbortController();
  const { signal } = load;
  const pending: Promise<unknown>[] = [];
  // What the load is answered does not matter, and its end is a lost connection.
  const fire = (path: string, body: string, seen: (status: number) => void = () => {}) => {
    const answered = send(url, path, { body, signal }).then(({ status }) => seen(status));
    pending.push(answered.catch(() => {}));
  };
  try {
    for (let index = 0; index < REQUESTS; index++) {
      const prompt = `${index} `.repeat(PROMPT_WORDS);
      fire('/v1/completions', JSON.stringify({ model, prompt, max_tokens: 8 }));
    }
    let refused = false;
    const deadline = performance.now() + GIVE_UP_MS;
    while (!refused) {
      if (performance.now() > deadline) throw new Error(`${model} was not saturated within ${GIVE_UP_MS} ms`);
      await sleep(PROBE_EVERY_MS);
      // Not awaited: one that is admitted waits behind the load.
      fire('/v1/chat/completions', chatBody(model), (status) => {
        refused ||= status === 429;
      });
    }
    return await action();
  } finally {
    load.abort();
    await Promise.all(pending);
  }
}
