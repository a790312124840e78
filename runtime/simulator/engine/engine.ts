import { createAdapterSlots } from './adapter-slots';
import { createBlockPool } from './block-pool';
import { type EngineParameters, parameterFaults } from './parameters';
import { type SchedulerState, scheduleStep } from './schedule-step';
import { createSequence, missingTokens, releaseBlocks, type Sequence } from './sequence';
import { stepSeconds } from './step-time';
import { BLOCK_TOKENS, type EngineEvent, type EngineRequest, type EngineSnapshot } from './types';

/**
 * A continuous-batching LLM server without a clock of its own: the caller owns time (seconds, any origin, never
 * backwards) and asks what happened until then. The same calls with the same `random` stream give the same events.
 */
export interface Engine {
  /** Longest prompt plus output in tokens: the model's, or the KV cache if that is smaller. */
  readonly maxModelLen: number;
  /** Takes a request at `now`. Refusals come as `rejected` events. Throws on a repeated id or a time in the past. */
  submit(now: number, request: EngineRequest): void;
  /** When `advance` has something to tell next; Infinity when idle. */
  nextEventTime(): number;
  /** All events up to and including `now`, in order of time. */
  advance(now: number): EngineEvent[];
  /** Drops a request and frees all it holds; false when it is not (any more) in the engine. */
  cancel(id: string): boolean;
  snapshot(): EngineSnapshot;
}

/** `random` yields numbers in [0, 1); it only spreads step times. Throws when a parameter is out of bounds. */
export function createEngine(parameters: EngineParameters, random: () => number): Engine {
  const faults = parameterFaults(parameters);
  if (faults.length > 0) throw new RangeError(`engine parameters: ${faults.join('; ')}`);
  const totalBlocks = Math.floor(parameters.kvTokens / BLOCK_TOKENS);
  const maxModelLen = Math.min(parameters.maxModelLen, totalBlocks * BLOCK_TOKENS);
  const state: SchedulerState = {
    waiting: [],
    running: [],
    pool: createBlockPool(totalBlocks),
    slots: createAdapterSlots(parameters.maxLora, parameters.adapterLoadSeconds),
    prefixQueries: 0,
    prefixHits: 0,
    preemptions: 0,
  };
  /** In the front end, by the time they leave it. */
  const arriving: Sequence[] = [];
  const rejections: EngineEvent[] = [];
  const live = new Set<string>();
  let clock = Number.NEGATIVE_INFINITY;
  let stepEnd = Number.POSITIVE_INFINITY;

  function forwardTo(now: number): void {
    if (!Number.isFinite(now)) throw new RangeError(`engine time must be finite, got ${now}`);
    if (now < clock) throw new RangeError(`engine time went back from ${clock} to ${now}`);
    clock = now;
  }

  function nextInternalTime(): number {
    return Math.min(stepEnd, arriving[0]?.readyAt ?? Number.POSITIVE_INFINITY, state.slots.nextLoadTime());
  }

  function enterQueue(now: number): void {
    let count = 0;
    while (count < arriving.length && arriving[count]!.readyAt <= now) count++;
    if (count > 0) state.waiting.push(...arriving.splice(0, count));
  }

  function beginStep(now: number, events: EngineEvent[]): void {
    const { work, preempted } = scheduleStep(state, parameters, now);
    for (const { request } of preempted) events.push({ type: 'preempted', at: now, id: request.id });
    if (work.sequences === 0) return;
    const spread = 1 + parameters.stepSpread * (2 * random() - 1);
    stepEnd = now + stepSeconds(parameters, work) * spread;
  }

  function leave(sequence: Sequence): void {
    releaseBlocks(sequence, state.pool);
    if (sequence.request.adapter !== undefined) state.slots.release(sequence.request.adapter);
    live.delete(sequence.request.id);
  }

  function endStep(at: number, events: EngineEvent[]): void {
    stepEnd = Number.POSITIVE_INFINITY;
    const ids: string[] = [];
    const ends: EngineEvent[] = [];
    let kept = 0;
    for (const sequence of state.running) {
      const { id } = sequence.request;
      const stepped = sequence.scheduled > 0;
      sequence.computed += sequence.scheduled;
      sequence.scheduled = 0;
      const yields = stepped && missingTokens(sequence) === 0;
      const cachedTokens = sequence.cachedTokens ?? 0;
      if (yields && sequence.outputTokens > 0) {
        sequence.generated++;
        ids.push(id);
        if (sequence.generated === 1) events.push({ type: 'first-token', at, id, cachedTokens });
      }
      if (yields && sequence.generated >= sequence.outputTokens) {
        ends.push({ type: 'finished', at, id, generatedTokens: sequence.generated, cachedTokens });
        leave(sequence);
      } else {
        state.running[kept++] = sequence;
      }
    }
    state.running.length = kept;
    if (ids.length > 0) events.push({ type: 'tokens', at, ids });
    for (const end of ends) events.push(end);
  }

  return {
    maxModelLen,
    submit(now, request) {
      if (live.has(request.id)) throw new Error(`request id ${request.id} is already in the engine`);
      if (!Number.isInteger(request.promptTokens) || request.promptTokens < 1) {
        throw new RangeError(`request ${request.id}: promptTokens must be a whole number from 1`);
      }
      if (now < clock) throw new RangeError(`engine time went back from ${clock} to ${now}`);
      if (request.promptTokens + Math.min(1, request.outputTokens) > maxModelLen) {
        rejections.push({ type: 'rejected', at: now, id: request.id, reason: 'prompt-too-long' });
        return;
      }
      if (request.adapter !== undefined && parameters.maxLora === 0) {
        rejections.push({ type: 'rejected', at: now, id: request.id, reason: 'adapters-disabled' });
        return;
      }
      live.add(request.id);
      const frontEnd = parameters.frontEndSeconds + parameters.frontEndSecondsPerToken * request.promptTokens;
      const sequence = createSequence(request, now + frontEnd, maxModelLen);
      let place = arriving.length;
      while (place > 0 && arriving[place - 1]!.readyAt > sequence.readyAt) place--;
      arriving.splice(place, 0, sequence);
    },
    nextEventTime: () => Math.min(nextInternalTime(), rejections[0]?.at ?? Number.POSITIVE_INFINITY),
    advance(now) {
      forwardTo(now);
      const events: EngineEvent[] = [];
      for (let at = nextInternalTime(); at <= now; at = nextInternalTime()) {
        enterQueue(at);
        for (const adapter of state.slots.finishLoads(at)) events.push({ type: 'adapter-loaded', at, adapter });
        if (stepEnd <= at) endStep(at, events);
        if (stepEnd === Number.POSITIVE_INFINITY) beginStep(at, events);
      }
      const due = rejections.filter((event) => event.at <= now);
      if (due.length === 0) return events;
      rejections.splice(0, due.length);
      return [...events, ...due].sort((left, right) => left.at - right.at);
    },
    cancel(id) {
      if (!live.delete(id)) return false;
      for (const list of [arriving, state.waiting]) {
        const index = list.findIndex((sequence) => sequence.request.id === id);
        if (index >= 0) {
          list.splice(index, 1);
          return true;
        }
      }
      const index = state.running.findIndex((sequence) => sequence.request.id === id);
      leave(state.running[index]!);
      state.running.splice(index, 1);
      return true;
    },
    snapshot() {
      const usedBlocks = totalBlocks - state.pool.freeCount();
      return {
        frontEnd: arriving.length,
        waiting: state.waiting.length,
        running: state.running.length,
        usedBlocks,
        totalBlocks,
        kvUsage: usedBlocks / totalBlocks,
        prefixQueries: state.prefixQueries,
        prefixHits: state.prefixHits,
        preemptions: state.preemptions,
        runningAdapters: adaptersOf(state.running),
        waitingAdapters: adaptersOf(state.waiting),
      };
    },
  };
}

function adaptersOf(sequences: readonly Sequence[]): string[] {
  const names = new Set<string>();
  for (const { request } of sequences) if (request.adapter !== undefined) names.add(request.adapter);
  return [...names].sort();
}
