/** What a pod must be asked for the tokens of a prompt, or the tokens themselves where the client sent them. */
export type TokenizeRequest =
  | { readonly kind: 'ask'; readonly body: string }
  | { readonly kind: 'tokens'; readonly tokens: readonly number[] };

/** Requests with larger bodies are not tokenised: with images in them, or longer than any deadline allows. */
export const MAX_TOKENIZED_BODY_BYTES = 512 * 1024;

/** Fields of a chat request that change its prompt. */
const CHAT_FIELDS = [
  'messages',
  'tools',
  'add_generation_prompt',
  'continue_final_message',
  'add_special_tokens',
  'chat_template',
  'chat_template_kwargs',
] as const;

const COMPLETION_FIELDS = ['prompt', 'add_special_tokens'] as const;

/** Where one of these is given the prompt is another than that of which `/tokenize` tells. */
const UNTOLD_FIELDS = ['truncate_prompt_tokens', 'prompt_embeds'] as const;

/**
 * The request to vLLM's `/tokenize` for the body of a completion or a chat completion; `model` is the one that serves.
 * Undefined for what `/tokenize` cannot answer: other APIs, several prompts, truncated ones, bodies that are no JSON;
 * and for what should not be asked: it would have the pod load images, and they are in no block that can be found.
 */
export function tokenizeRequest(body: Buffer, model: string): TokenizeRequest | undefined {
  if (body.length > MAX_TOKENIZED_BODY_BYTES) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const fields = parsed as Fields;
  const { messages, prompt } = fields;
  if (UNTOLD_FIELDS.some((field) => isGiven(fields[field]))) return undefined;
  if (Array.isArray(messages)) {
    return messages.every(isText) ? ask(model, { ...fields, ...templateArguments(fields) }, CHAT_FIELDS) : undefined;
  }
  if (typeof prompt === 'string') return ask(model, fields, COMPLETION_FIELDS);
  if (isTokens(prompt)) return { kind: 'tokens', tokens: prompt };
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isText(message: unknown): boolean {
  const content = (message as Fields | null)?.content;
  return !Array.isArray(content) || content.every((part) => typeof part === 'string' || part?.type === 'text');
}

/** What a chat completion hands to the chat template from fields that `/tokenize` has not. */
function templateArguments({ chat_template_kwargs: given, documents, reasoning_effort: effort }: Fields): Fields {
  if (!isGiven(documents) && !isGiven(effort)) return {};
  const own = typeof given === 'object' ? given : {};
  return {
    chat_template_kwargs: {
      ...(isGiven(effort) && { enable_thinking: effort !== 'none' }),
      ...own,
      ...(isGiven(effort) && { reasoning_effort: effort }),
      ...(isGiven(documents) && { documents }),
    },
  };
}

function ask(model: string, fields: object, names: readonly string[]): TokenizeRequest {
  const given = Object.entries(fields).filter(([name]) => names.includes(name));
  return { kind: 'ask', body: JSON.stringify({ model, ...Object.fromEntries(given) }) };
}

function isTokens(prompt: unknown): prompt is number[] {
  return Array.isArray(prompt) && prompt.length > 0 && prompt.every((token) => Number.isInteger(token) && token >= 0);
}
