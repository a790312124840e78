import type { JsonObject } from './json';

/** The body of an error as OpenAI's clients read it. */
export function openAiError(message: string, type: string, code: string): JsonObject {
  return { error: { message, type, param: null, code } };
}
