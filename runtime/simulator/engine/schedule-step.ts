import type { AdapterSlots } from './adapter-slots';
import type { AdapterTally } from './adapter-tally';
import type { EngineParameters } from './parameters';
import {
  adoptPrefix,
  blocksToGrow,
  findPrefix,
  growSequence,
  isDecoding,
  type KvCache,
  kvReadTokens,
  missingTokens,
  releaseBlocks,
  type Sequence,
} from './sequence';
import { BLOCK_TOKENS } from './types';

/** What the scheduler works on; it moves sequences between the two lists and counts. */
export interface SchedulerState extends KvCache {
  /** First come first; preempted ones at the head. */
  readonly waiting: Sequence[];
  /** In order of admission. */
  readonly running: Sequence[];
  readonly waitingAdapters: AdapterTally;
  readonly runningAdapters: AdapterTally;
  readonly slots: AdapterSlots;
  prefixQueries: number;
  prefixHits: number;
  preemptions: number;
  /** The step under way, or the last one. */
  readonly plan: StepPlan;
}

/** A planned step; `sequences` is 0 when there is nothing to do. One object for all steps, as steps are many. */
export interface StepPlan {
  sequences: number;
  prefillTokens: number;
  /** See `StepWork`. */
  kvReadTokens: number;
  /** Nothing that arrives during the step, or a repetition of it, could be admitted at its end. */
  admissionClosed: boolean;
  readonly preempted: Sequence[];
}

export function createStepPlan(): StepPlan {
  return { sequences: 0, prefillTokens: 0, kvReadTokens: 0, admissionClosed: false, preempted: [] };
}

/** Cached blocks of the sequence at hand. */
const prefix: number[] = [];

/**
 * Plans the next step within the token budget into `state.plan`: decodes first, then prompts under way, then waiting
 * requests (none in a step that had to preempt). Chunked prefill; preemption takes the newest running sequence.
 */
export function scheduleStep(state: SchedulerState, parameters: EngineParameters, now: number): void {
  const { plan, running } = state;
  plan.sequences = 0;
  plan.prefillTokens = 0;
  plan.admissionClosed = true;
  plan.preempted.length = 0;
  let budget = scheduleRunning(state, true, parameters.maxNumBatchedTokens);
  if (plan.sequences < running.length) budget = scheduleRunning(state, false, budget);
  if (plan.preempted.length === 0) admitWaiting(state, parameters, budget, now);
  plan.kvReadTokens = kvReadTokens(state, parameters.sharedReadCost);
}

/** Schedules the running sequences that do, or do not, decode; returns the budget left. */
function scheduleRunning(state: SchedulerState, decoding: boolean, budget: number): number {
  const { running, plan } = state;
  let left = budget;
  // Preemption shortens the list from its end, so that the index stays right.
  for (let index = 0; index < running.length && left > 0; index++) {
    const sequence = running[index]!;
    if (sequence.scheduled > 0 || isDecoding(sequence) !== decoding) continue;
    const tokens = Math.min(missingTokens(sequence), left);
    left += makeRoom(state, blocksToGrow(sequence, tokens), index);
    if (index >= running.length) break;
    growSequence(sequence, tokens, state);
    plan.sequences++;
    if (!decoding) plan.prefillTokens += tokens;
    left -= tokens;
  }
  return left;
}

/** Preempts the newest sequences until `blocks` are free or the asking one is itself preempted; returns the tokens unscheduled. */
function makeRoom(state: SchedulerState, blocks: number, asking: number): number {
  const { running, plan, pool } = state;
  let unscheduled = 0;
  while (blocks > pool.freeCount() && running.length > asking) {
    const victim = running.pop()!;
    if (victim.scheduled > 0) {
      unscheduled += victim.scheduled;
      plan.sequences--;
      if (!isDecoding(victim)) plan.prefillTokens -= victim.scheduled;
    }
    preempt(state, victim);
  }
  return unscheduled;
}

function preempt(state: SchedulerState, victim: Sequence): void {
  releaseBlocks(victim, state);
  if (victim.adapter !== undefined) {
    state.slots.release(victim.adapter);
    state.runningAdapters.remove(victim.adapter);
    state.waitingAdapters.add(victim.adapter);
  }
  state.waiting.unshift(victim);
  state.plan.preempted.push(victim);
  state.preemptions++;
}

/** Admits waiting sequences in order. One whose adapter is not loaded is passed over; one that the KV cache cannot hold stops the rest. */
function admitWaiting(state: SchedulerState, parameters: EngineParameters, budget: number, now: number): void {
  const { waiting, running, pool, slots, plan } = state;
  let index = 0;
  let left = budget;
  while (index < waiting.length && left > 0 && running.length < parameters.maxNumSeqs) {
    const sequence = waiting[index]!;
    if (sequence.adapter !== undefined && !slots.request(sequence.adapter, now)) {
      index++;
      continue;
    }
    findPrefix(sequence, pool, prefix);
    // Holding a cached block that nobody holds uses up a free one. The whole prompt must fit, not only its first chunk.
    let needed = Math.ceil(missingTokens(sequence) / BLOCK_TOKENS) - prefix.length;
    for (const block of prefix) if (pool.isFree(block)) needed++;
    if (needed > pool.freeCount()) return;

    if (index === 0) waiting.shift();
    else waiting.splice(index, 1);
    left -= admit(state, sequence, left, now);
  }
  plan.admissionClosed = left === 0 || running.length >= parameters.maxNumSeqs;
}

/** Moves a sequence from the queue, with the cached blocks in `prefix`, into the batch; returns the tokens scheduled. */
function admit(state: SchedulerState, sequence: Sequence, budget: number, now: number): number {
  state.running.push(sequence);
  if (sequence.adapter !== undefined) {
    state.slots.acquire(sequence.adapter);
    state.waitingAdapters.remove(sequence.adapter);
    state.runningAdapters.add(sequence.adapter);
  }
  adoptPrefix(sequence, prefix, state);
  if (sequence.cachedTokens < 0) {
    sequence.cachedTokens = sequence.computed;
    sequence.admittedAt = now;
    state.prefixQueries += sequence.promptTokens;
    state.prefixHits += sequence.computed;
  }
  const tokens = Math.min(missingTokens(sequence), budget);
  const decoding = isDecoding(sequence);
  growSequence(sequence, tokens, state);
  state.plan.sequences++;
  if (!decoding) state.plan.prefillTokens += tokens;
  return tokens;
}
