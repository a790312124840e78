import type { PromptTokens } from './prompt-tokens';

/** Tokens by key; the least recently used go when it is full. */
export interface TokenCache {
  readonly bytes: number;
  get(key: string): PromptTokens | undefined;
  set(key: string, tokens: PromptTokens): void;
}

/** What an entry takes beside its tokens: key, arrays, its place in the map. */
const ENTRY_BYTES = 256;

/** `maxBytes`: of all entries together. */
export function createTokenCache(maxBytes: number): TokenCache {
  /** Least recently used first. */
  const entries = new Map<string, PromptTokens>();
  let bytes = 0;

  function remove(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    bytes -= sizeOf(entry);
  }

  return {
    get bytes() {
      return bytes;
    },
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    set(key, tokens) {
      remove(key);
      if (sizeOf(tokens) > maxBytes) return;
      entries.set(key, tokens);
      bytes += sizeOf(tokens);
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes) return;
        remove(oldest);
      }
    },
  };
}

function sizeOf({ tokens }: PromptTokens): number {
  return tokens.byteLength + ENTRY_BYTES;
}
