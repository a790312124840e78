import { createHash } from 'node:crypto';
import type { KvEventsObserver } from './observe';
import { type PromptTokens, promptTokens } from './prompt-tokens';
import { createTokenCache } from './token-cache';
import { createTokenizeClient } from './tokenize-client';
import type { TokenizeRequest } from './tokenize-request';

export interface TokenizerOptions {
  readonly clock: () => number;
  readonly observe: Pick<KvEventsObserver, 'tokenized'>;
  /**
   * Longest that a pick waits for tokens, milliseconds. Default 20: a pod tokenises some thousand tokens in 1 to 10 ms,
   * while to compute so many again takes it 100 ms and more; so it is little beside what a right choice saves, and
   * little beside the time to first token where the choice turns out the same.
   */
  readonly deadlineMs?: number;
  /** Of the cache. Default 64 MiB. */
  readonly cacheBytes?: number;
}

/** The tokens of prompts, from the pods of the scheduler they go to. */
export interface Tokenizer {
  /** `pods`: addresses of ready pods, `ip:port`. At once where the tokens are known; undefined when the deadline has passed. */
  tokens(
    scheduler: string,
    request: TokenizeRequest,
    pods: readonly string[],
  ): PromptTokens | undefined | Promise<PromptTokens | undefined>;
  close(): Promise<void>;
}

const DEFAULT_DEADLINE_MS = 20;
const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

/** Requests for tokens under way at once over all pods. */
const MAX_UNDER_WAY = 128;

/** After so many requests in a row without an answer in time a scheduler's picks wait no more, for a while. */
const MISSES_TO_PAUSE = 5;
const PAUSE_MS = 5_000;

interface SchedulerTokens {
  turn: number;
  misses: number;
  pausedUntil: number;
}

export function createTokenizer({ clock, observe, deadlineMs, cacheBytes }: TokenizerOptions): Tokenizer {
  const patience = deadlineMs ?? DEFAULT_DEADLINE_MS;
  const cache = createTokenCache(cacheBytes ?? DEFAULT_CACHE_BYTES);
  const client = createTokenizeClient();
  const schedulers = new Map<string, SchedulerTokens>();
  /** By key: a prompt is asked for once at a time. */
  const underWay = new Map<string, Promise<PromptTokens | undefined>>();

  function stateOf(scheduler: string): SchedulerTokens {
    let state = schedulers.get(scheduler);
    if (state === undefined) {
      state = { turn: 0, misses: 0, pausedUntil: Number.NEGATIVE_INFINITY };
      schedulers.set(scheduler, state);
    }
    return state;
  }

  function ask(key: string, address: string, body: string): Promise<PromptTokens | undefined> {
    const answer = client.ask(address, body).then((tokens) => {
      underWay.delete(key);
      if (tokens !== undefined) cache.set(key, tokens);
      return tokens;
    });
    underWay.set(key, answer);
    return answer;
  }

  async function wait(scheduler: string, answer: Promise<PromptTokens | undefined>): Promise<PromptTokens | undefined> {
    const state = stateOf(scheduler);
    const start = clock();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), patience);
    });
    const first = await Promise.race([answer, deadline]);
    clearTimeout(timer);
    const tokens = first === 'late' ? undefined : first;
    const missed = first === 'late' ? 'late' : 'failed';
    observe.tokenized(scheduler, tokens === undefined ? missed : 'ok', clock() - start);
    state.misses = tokens === undefined ? state.misses + 1 : 0;
    if (state.misses >= MISSES_TO_PAUSE) {
      state.misses = 0;
      state.pausedUntil = clock() + PAUSE_MS;
    }
    return tokens;
  }

  return {
    tokens(scheduler, request, pods) {
      if (request.kind === 'tokens') return promptTokens(request.tokens);
      // The pods of a scheduler share one tokeniser; another scheduler's may have another for a model of the same name.
      const key = createHash('sha256').update(`${scheduler}\n`).update(request.body).digest('base64');
      const known = cache.get(key);
      if (known !== undefined) {
        observe.tokenized(scheduler, 'cached', 0);
        return known;
      }
      const state = stateOf(scheduler);
      if (pods.length === 0) return undefined;
      if (clock() < state.pausedUntil) {
        observe.tokenized(scheduler, 'paused', 0);
        return undefined;
      }
      const asked = underWay.get(key);
      if (asked !== undefined) return wait(scheduler, asked);
      if (underWay.size >= MAX_UNDER_WAY) {
        observe.tokenized(scheduler, 'busy', 0);
        return undefined;
      }
      state.turn = (state.turn + 1) % pods.length;
      return wait(scheduler, ask(key, pods[state.turn]!, request.body));
    },
    close: () => client.close(),
  };
}
