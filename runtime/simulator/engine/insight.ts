import type { EngineParameters } from './parameters';
import type { SchedulerState } from './schedule-step';
import { isDecoding, kvReadTokens, missingTokens, type Sequence } from './sequence';
import { stepSeconds } from './step-time';
import { BLOCK_TOKENS, type EngineInsight } from './types';

/** An engine seen from inside. */
export interface Interior {
  readonly state: SchedulerState;
  readonly arriving: readonly Sequence[];
  readonly parameters: EngineParameters;
  readonly speed: number;
  readonly now: number;
}

/** What a request with this prompt would meet. Costs O(running log running + waiting log blocks). */
export function lookInside(
  { state, arriving, parameters, speed, now }: Interior,
  blocks: ArrayLike<number>,
  promptTokens: number,
  adapter: string | undefined,
): EngineInsight {
  const { running, waiting, pool, slots } = state;
  const promised = new Set<ArrayLike<number>>();
  let prefillTokensAhead = 0;
  let blocksAhead = 0;
  let remaining = 0;
  for (const sequence of running) {
    remaining += sequence.outputTokens - sequence.generated;
    if (isDecoding(sequence)) continue;
    promised.add(sequence.blockIds);
    prefillTokensAhead += missingTokens(sequence);
    blocksAhead += Math.ceil(missingTokens(sequence) / BLOCK_TOKENS);
  }
  const tokensFor = (ids: ArrayLike<number>, tokens: number, scope: string | undefined) => {
    const most = Math.min(ids.length, Math.floor((tokens - 1) / BLOCK_TOKENS));
    const cached = promised.has(ids) ? most : cachedBlocks(state, ids, most, scope ?? '');
    return tokens - cached * BLOCK_TOKENS;
  };
  for (const queue of [waiting, arriving]) {
    for (const { blockIds, promptTokens: prompt, generated, adapter: scope } of queue) {
      const tokens = tokensFor(blockIds, prompt + generated, scope);
      prefillTokensAhead += tokens;
      blocksAhead += Math.ceil(tokens / BLOCK_TOKENS);
      promised.add(blockIds);
    }
  }
  const own = tokensFor(blocks, promptTokens, adapter);
  const decodeStepSeconds =
    stepSeconds(parameters, {
      sequences: Math.max(1, running.length),
      prefillTokens: 0,
      kvReadTokens: kvReadTokens(state, parameters.sharedReadCost),
    }) / speed;
  const missingBlocks = blocksAhead + Math.ceil(own / BLOCK_TOKENS) - pool.freeCount();
  return {
    prefillTokensAhead,
    cachedTokens: promptTokens - own,
    freeBlocks: pool.freeCount(),
    running: running.length,
    waiting: waiting.length + arriving.length,
    decodeStepSeconds,
    remainingTokensMean: running.length === 0 ? 0 : remaining / running.length,
    secondsUntilBlocks: stepsUntilFree(running, missingBlocks) * decodeStepSeconds,
    secondsUntilAdapter: adapter === undefined ? 0 : slots.usableAt(adapter, now) - now,
  };
}

/** How many leading blocks, at most `most`, the cache holds. It evicts tails first, so a bisection finds the end. */
function cachedBlocks({ pool }: SchedulerState, ids: ArrayLike<number>, most: number, scope: string): number {
  let held = 0;
  let missing = most + 1;
  while (missing - held > 1) {
    const middle = (held + missing) >> 1;
    if (pool.find(scope, ids[middle - 1]!) >= 0) held = middle;
    else missing = middle;
  }
  return held;
}

/** Steps until enough running sequences have ended; blocks that a sequence found in the cache are taken to stay in use by others. */
function stepsUntilFree(running: readonly Sequence[], blocks: number): number {
  if (blocks <= 0) return 0;
  const byEnd = [...running].sort(
    (left, right) => left.outputTokens - left.generated - right.outputTokens + right.generated,
  );
  let freed = 0;
  let steps = 0;
  for (const sequence of byEnd) {
    steps = sequence.outputTokens - sequence.generated;
    freed += sequence.blocks.length - sequence.adopted;
    if (freed >= blocks) break;
  }
  return steps;
}
