import { setTimeout as sleep } from 'node:timers/promises';
import { chatBody, send } from './send';

/** A long prompt takes the pod some hundred milliseconds at a test's speed; one more comes before it is done. */
const PROMPT_WORDS = 10_000;
const LOAD_EVERY_MS = 20;
const PROBE_EVERY_MS = 50;
const GIVE_UP_MS = 15_000;

/** Flags of a pod that can be saturated. */
export const SMALL_POD_FLAGS = ['--profile', 'llama-8b-a10g'] as const;

/** Any long prompt that is under way is a longer queue than this. */
export const SHORT_QUEUE = { maxQueueTime: '20ms' } as const;

/**
 * Sends long prompts to a pod with `SMALL_POD_FLAGS` without end, most of which are refused themselves, runs `action` once
 * the gateway refuses other requests for the model, and takes the load away afterwards.
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
  let sent = 0;
  const loading = setInterval(() => {
    const prompt = `${sent++} `.repeat(PROMPT_WORDS);
    fire('/v1/completions', JSON.stringify({ model, prompt, max_tokens: 1 }));
  }, LOAD_EVERY_MS);
  try {
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
    clearInterval(loading);
    load.abort();
    await Promise.all(pending);
  }
}
