/** Tokens as a model server counted them; what it did not tell is absent. */
export interface TokenUsage {
  readonly input?: number;
  readonly output?: number;
  /** Of the input: read from a prefix cache. */
  readonly cached?: number;
}

/** Where the same number stands in the answers of the chat, completions, Responses and Messages API, the usual first. */
const FIELDS = {
  input: ['prompt_tokens', 'input_tokens'],
  output: ['completion_tokens', 'output_tokens'],
} as const;
const DETAILS = ['prompt_tokens_details', 'prompt_token_details', 'input_tokens_details'];

/** What an object `usage` tells; undefined where that is nothing. */
export function readUsage(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const input = firstCount(usage, FIELDS.input);
  const output = firstCount(usage, FIELDS.output);
  const details = DETAILS.map((name) => usage[name]).find(isRecord);
  const cached = count(details?.cached_tokens) ?? count(usage.cache_read_input_tokens);
  if (input === undefined && output === undefined && cached === undefined) return undefined;
  return {
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(cached !== undefined && { cached }),
  };
}

/** Field by field, the later one wins: the Messages API tells the input at the start and the output at the end. */
export function mergeUsage(former: TokenUsage | undefined, later: TokenUsage | undefined): TokenUsage | undefined {
  return former === undefined || later === undefined ? (later ?? former) : { ...former, ...later };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function firstCount(usage: Readonly<Record<string, unknown>>, names: readonly string[]): number | undefined {
  return names.map((name) => count(usage[name])).find((value) => value !== undefined);
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
