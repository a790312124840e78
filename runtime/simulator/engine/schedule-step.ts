import type { AdapterSlots } from './adapter-slots';
import type { BlockPool } from './block-pool';
import type { EngineParameters } from './parameters';
import {
  adoptPrefix,
  blocksToGrow,
  findPrefix,
  growSequence,
  isDecoding,
  missingTokens,
  releaseBlocks,
  type Sequence,
} from './sequence';
import type { StepWork } from './step-time';
import { BLOCK_TOKENS } from './types';

/** What the scheduler works on; it moves sequences between the two lists and counts. */
export interface SchedulerState {
  /** First come first; preempted ones at the head. */
  readonly waiting: Sequence[];
  /** In order of admission. */
  readonly running: Sequence[];
  readonly pool: BlockPool;
  readonly slots: AdapterSlots;
  prefixQueries: number;
  prefixHits: number;
  preemptions: number;
}

/** A planned step; `work.sequences` is 0 when there is nothing to do. */
export interface StepPlan {
  readonly work: StepWork;
  readonly preempted: readonly Sequence[];
}

/**
 * Plans the next step within the token budget: decodes first, then prompts under way, then waiting requests (none
 * in a step that had to preempt). Chunked prefill; preemption takes the newest running sequence.
 */
export function scheduleStep(state: SchedulerState, parameters: EngineParameters, now: number): StepPlan {
  const preempted: Sequence[] = [];
  let budget = parameters.maxNumBatchedTokens;
  for (const sequence of state.running) sequence.scheduled = 0;
  for (const decoding of [true, false]) {
    for (const sequence of [...state.running]) {
      if (budget === 0) break;
      if (sequence.scheduled > 0 || isDecoding(sequence) !== decoding || preempted.includes(sequence)) continue;
      const tokens = Math.min(missingTokens(sequence), budget);
      budget += makeRoom(state, sequence, blocksToGrow(sequence, tokens), preempted);
      if (preempted.includes(sequence)) continue;
      growSequence(sequence, tokens, state.pool);
      budget -= tokens;
    }
  }
  if (preempted.length === 0) admitWaiting(state, parameters, budget, now);
  return { work: workOf(state), preempted };
}

/** Preempts the newest sequences until `blocks` are free or the asking one is itself preempted; returns the tokens unscheduled. */
function makeRoom(state: SchedulerState, asking: Sequence, blocks: number, preempted: Sequence[]): number {
  let unscheduled = 0;
  while (blocks > state.pool.freeCount()) {
    const victim = state.running.pop()!;
    unscheduled += victim.scheduled;
    preempt(state, victim);
    preempted.push(victim);
    if (victim === asking) break;
  }
  return unscheduled;
}

function preempt(state: SchedulerState, victim: Sequence): void {
  releaseBlocks(victim, state.pool);
  if (victim.request.adapter !== undefined) state.slots.release(victim.request.adapter);
  state.waiting.unshift(victim);
  state.preemptions++;
}

/** Admits waiting sequences in order. One whose adapter is not loaded is passed over; one that the KV cache cannot hold stops the rest. */
function admitWaiting(state: SchedulerState, parameters: EngineParameters, budget: number, now: number): void {
  const { waiting, running, pool, slots } = state;
  let index = 0;
  let left = budget;
  while (index < waiting.length && left > 0 && running.length < parameters.maxNumSeqs) {
    const sequence = waiting[index]!;
    const { adapter, promptTokens } = sequence.request;
    if (adapter !== undefined && !slots.request(adapter, now)) {
      index++;
      continue;
    }
    const prefix = findPrefix(sequence, pool);
    // Holding a cached block that nobody holds uses up a free one. The whole prompt must fit, not only its first chunk.
    const revived = prefix.reduce((count, block) => count + (pool.isFree(block) ? 1 : 0), 0);
    const fresh = Math.ceil(missingTokens(sequence) / BLOCK_TOKENS) - prefix.length;
    if (revived + fresh > pool.freeCount()) break;

    waiting.splice(index, 1);
    running.push(sequence);
    if (adapter !== undefined) slots.acquire(adapter);
    adoptPrefix(sequence, prefix, pool);
    if (sequence.cachedTokens === undefined) {
      sequence.cachedTokens = sequence.computed;
      state.prefixQueries += promptTokens;
      state.prefixHits += sequence.computed;
    }
    const tokens = Math.min(missingTokens(sequence), left);
    growSequence(sequence, tokens, pool);
    left -= tokens;
  }
}

function workOf(state: SchedulerState): StepWork {
  let sequences = 0;
  let prefillTokens = 0;
  // Distinct held blocks, less the unfilled ends of the sequences: a shared block is read once for all its holders.
  let kvReadTokens = (state.pool.size - state.pool.freeCount()) * BLOCK_TOKENS;
  for (const sequence of state.running) {
    kvReadTokens -= sequence.blocks.length * BLOCK_TOKENS - sequence.computed - sequence.scheduled;
    if (sequence.scheduled === 0) continue;
    sequences++;
    if (!isDecoding(sequence)) prefillTokens += sequence.scheduled;
  }
  return { sequences, prefillTokens, kvReadTokens };
}
