import { invalidRequest } from './api-error';
import type { Exchange, ServerContext } from './exchange';
import { generate } from './generation';
import type { Prompt } from './prompt';

/** Runs prompts through the engine without generating; resolves to their tokens in total. Throws 400 when one is too long. */
export async function prefill(
  context: ServerContext,
  exchange: Exchange,
  prompts: readonly Prompt[],
  adapter: string | undefined,
): Promise<number> {
  const limit = context.engine.maxModelLen;
  const long = prompts.find(({ tokens }) => tokens > limit);
  if (long !== undefined) {
    throw invalidRequest(`This model's maximum context length is ${limit} tokens, the input has ${long.tokens}.`);
  }
  await Promise.all(
    prompts.map((prompt) => generate(context, exchange, { prompt, adapter, outputTokens: 0, finishReason: 'stop' })),
  );
  return prompts.reduce((total, { tokens }) => total + tokens, 0);
}
