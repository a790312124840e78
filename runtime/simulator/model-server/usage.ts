import type { Generation } from './generation';

/** The `usage` of OpenAI's chat and completion answers. */
export function openAiUsage(
  generation: Pick<Generation, 'promptTokens' | 'cachedTokens' | 'outputTokens'>,
): Record<string, unknown> {
  return {
    prompt_tokens: generation.promptTokens,
    completion_tokens: generation.outputTokens,
    total_tokens: generation.promptTokens + generation.outputTokens,
    prompt_tokens_details: { cached_tokens: generation.cachedTokens },
  };
}

/** Whether a stream ends with a usage chunk. */
export function wantsUsage(body: Record<string, unknown>): boolean {
  const options = body.stream_options;
  return (
    typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true
  );
}
