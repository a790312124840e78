import type { Span } from './body/span';
import type { RefusalName } from './errors';

/** What the router reads from a request body. Spans point into the body; nothing of it is kept. */
export interface RequestFacts {
  /** Absent where the body names no model. */
  readonly model?: ModelFact;
  /** The values that hold the prompt, in the order in which a chat template lays them out. */
  readonly prompt: readonly Span[];
  /** Bytes of text in `prompt`, at most `MAX_PROMPT_BYTES`; of the whole JSON where no known field holds a prompt. */
  readonly promptBytes: number;
  /** The client's bound on output tokens of one answer; the largest, where it states several. */
  readonly maxOutputTokens?: number;
  /** Answers that it asks for, where they are more than one. */
  readonly answers?: number;
  /** Value of `cache_salt`, its first `MAX_SALT_BYTES`: keeps the prefix cache of one tenant apart from another's. */
  readonly cacheSalt?: Span;
}

export interface ModelFact {
  readonly name: string;
  /** Everywhere the body states it: the bytes to replace on a rewrite, in order. */
  readonly spans: readonly Span[];
  /** The name as it must be written at `spans`. */
  readonly encode: (name: string) => Buffer;
}

/** A body that cannot be read: the refusal, and what fills its message. */
export interface FactsRefused {
  readonly refusal: RefusalName;
  readonly values: Readonly<Record<string, string | number>>;
}

export type FactsResult = RequestFacts | FactsRefused;

/** No model reads more tokens than these bytes hold (a token is taken as 4); more is a file, not text. */
export const MAX_PROMPT_BYTES = 4 * 1024 * 1024;

/** Longest spelling of a model name that is looked at, in bytes; no name in a configuration is near it. */
export const MAX_MODEL_BYTES = 4096;

/** Cache salts that differ only after these bytes are taken as one, which costs no more than a pick that is less good. */
export const MAX_SALT_BYTES = 1024;

/** Facts of a request without a body, or with one that is not read. */
export const NO_FACTS: RequestFacts = { prompt: [], promptBytes: 0 };
