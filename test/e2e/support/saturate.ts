import { send } from './send';
import { until } from './until';

const REQUESTS = 60;
/** Eight of them fill the KV cache of `llama-8b-a10g`, so that the others wait. */
const PROMPT_WORDS = 4_000;

/** Flags of a pod that can be saturated. */
export const SMALL_POD_FLAGS = ['--profile', 'llama-8b-a10g'] as const;

/** A queue that a pool with little load drains within this time. */
export const SHORT_QUEUE = { maxQueueTime: '100ms' } as const;

/**
 * Sends more long requests at once than a pod with `SMALL_POD_FLAGS` holds, and calls `probe` until it gives a value:
 * what a client sees of a saturated pool. Resolves with that value once the requests, which all must succeed, are over.
 */
export async function whileSaturated<T>(
  url: string,
  model: string,
  what: string,
  probe: () => Promise<T | false | undefined>,
): Promise<T> {
  const load = Promise.all(
    Array.from({ length: REQUESTS }, (_, index) => {
      const prompt = `${index} `.repeat(PROMPT_WORDS);
      return send(url, '/v1/completions', { body: JSON.stringify({ model, prompt, max_tokens: 8 }) });
    }),
  );
  const [seen, answers] = await Promise.all([until(what, probe), load]);
  const failed = answers.find(({ status }) => status !== 200);
  if (failed !== undefined) throw new Error(`the load got ${failed.status}: ${failed.body}`);
  return seen;
}
