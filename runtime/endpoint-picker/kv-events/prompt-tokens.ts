/** The tokens of a prompt. */
export interface PromptTokens {
  /** The first `MAX_TOKENS`. */
  readonly tokens: Uint32Array;
  /** All of them. */
  readonly count: number;
}

/** Tokens that prefixes are looked for in: as many as the approximate index hashes. */
export const MAX_TOKENS = 32_768;

/** `ids`: token ids. Undefined where one is none. */
export function promptTokens(ids: readonly unknown[]): PromptTokens | undefined {
  const tokens = new Uint32Array(Math.min(ids.length, MAX_TOKENS));
  for (let at = 0; at < tokens.length; at++) {
    const id = ids[at];
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id > 0xffff_ffff) return undefined;
    tokens[at] = id;
  }
  return { tokens, count: ids.length };
}
