import type { Exchange } from './exchange';
import type { Prompt } from './prompt';

/** An id that depends only on the request: its `x-request-id` when that is a plain token, as in vLLM, else a hash of the prompt. */
export function answerId(prefix: string, exchange: Exchange, prompt: Prompt): string {
  const given = exchange.request.headers['x-request-id'];
  const usable = typeof given === 'string' && /^[\w-]{1,64}$/.test(given);
  return prefix + (usable ? given : prompt.seed.toString(16).padStart(14, '0'));
}
