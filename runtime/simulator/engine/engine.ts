import { createAdapterSlots } from './adapter-slots';
import { createAdapterTally } from './adapter-tally';
import { type BlockObserver, createBlockPool } from './block-pool';
import { longestRun, settleRun } from './decode-run';
import { lookInside } from './insight';
import { type EngineParameters, parameterFaults } from './parameters';
import { createStepPlan, type SchedulerState, scheduleStep } from './schedule-step';
import { createSequence, missingTokens, releaseBlocks, type Sequence } from './sequence';
import { boundary, type StepRun, stepsEnded, stepsUntil } from './step-run';
import { stepSeconds } from './step-time';
import { countFinished, countFirstToken, createTotals } from './totals';
import {
  BLOCK_TOKENS,
  type EngineEvent,
  type EngineInsight,
  type EngineRequest,
  type EngineSnapshot,
  type RequestId,
} from './types';

/**
 * A continuous-batching LLM server without a clock of its own: the caller owns time (seconds, any origin, never
 * backwards) and asks what happened until then. The same calls with the same `random` stream give the same events.
 */
export interface Engine {
  /** Longest prompt plus output in tokens: the model's, or the KV cache if that is smaller. */
  readonly maxModelLen: number;
  /** Takes a request at `now`. Refusals come as `rejected` events. Throws on a repeated id or a time in the past. */
  submit(now: number, request: EngineRequest): void;
  /** No event comes before this; it moves with every call, also nearer. Infinity when idle. */
  nextEventTime(): number;
  /** All events up to and including `now`, in order of time. */
  advance(now: number): readonly EngineEvent[];
  /** Drops a request and frees all it holds; false when it is not (any more) in the engine. */
  cancel(id: RequestId): boolean;
  /** Steps that begin from now on take `1 / factor` of their normal time: 0.5 is a GPU at half its clock. Throws unless above 0. */
  setSpeed(factor: number): void;
  /** The state at the time of the last `advance`. */
  snapshot(): EngineSnapshot;
  /** What a request with this prompt would meet at the time of the last `advance`. For a router that cheats. */
  insight(blocks: ArrayLike<number>, promptTokens: number, adapter: string | undefined): EngineInsight;
}

export interface EngineOptions {
  /**
   * Default true. Without `tokens` events the engine goes over repeated decode steps in one jump, to the same times;
   * a jump of n steps draws one spread, divided by sqrt(n), for all of them.
   */
  readonly tokenEvents?: boolean;
  /** Hears what the prefix cache holds; is called within `advance`. */
  readonly blocks?: BlockObserver;
}

const NO_EVENTS: readonly EngineEvent[] = [];

/** `random` yields numbers in [0, 1); it only spreads step times. Throws when a parameter is out of bounds. */
export function createEngine(
  parameters: EngineParameters,
  random: () => number,
  { tokenEvents = true, blocks }: EngineOptions = {},
): Engine {
  const faults = parameterFaults(parameters);
  if (faults.length > 0) throw new RangeError(`engine parameters: ${faults.join('; ')}`);
  const totalBlocks = Math.floor(parameters.kvTokens / BLOCK_TOKENS);
  const maxModelLen = Math.min(parameters.maxModelLen, totalBlocks * BLOCK_TOKENS);
  const state: SchedulerState = {
    waiting: [],
    running: [],
    waitingAdapters: createAdapterTally(),
    runningAdapters: createAdapterTally(),
    pool: createBlockPool(totalBlocks, blocks),
    contextTokens: 0,
    references: 0,
    slots: createAdapterSlots(parameters.maxLora, parameters.adapterLoadSeconds),
    prefixQueries: 0,
    prefixHits: 0,
    preemptions: 0,
    plan: createStepPlan(),
  };
  const { waiting, running, plan, slots } = state;
  const totals = createTotals();
  /** In the front end, by the time they leave it. */
  const arriving: Sequence[] = [];
  const rejections: EngineEvent[] = [];
  const live = new Set<RequestId>();
  const run: StepRun = { start: 0, first: 0, growth: 0, steps: 0 };
  let clock = Number.NEGATIVE_INFINITY;
  /** When the run under way ends; Infinity between steps. */
  let runEnd = Number.POSITIVE_INFINITY;
  let speed = 1;

  function forwardTo(now: number): void {
    if (!Number.isFinite(now)) throw new RangeError(`engine time must be finite, got ${now}`);
    if (now < clock) throw new RangeError(`engine time went back from ${clock} to ${now}`);
    clock = now;
  }

  function nextInternalTime(): number {
    // While a run is under way an arrival only queues up.
    const next = runEnd === Number.POSITIVE_INFINITY && arriving.length > 0 ? arriving[0]!.readyAt : runEnd;
    return Math.min(next, slots.nextLoadTime());
  }

  function enterQueue(now: number): void {
    while (arriving.length > 0 && arriving[0]!.readyAt <= now) {
      const sequence = arriving.shift()!;
      state.waitingAdapters.add(sequence.adapter);
      waiting.push(sequence);
    }
  }

  function beginRun(now: number, events: EngineEvent[]): void {
    scheduleStep(state, parameters, now);
    for (const { id } of plan.preempted) events.push({ type: 'preempted', at: now, id });
    if (plan.sequences === 0) return;
    run.start = now;
    run.first = stepSeconds(parameters, plan) / speed;
    run.growth = (plan.sequences * parameters.kvReadSecondsPerToken) / speed;
    run.steps = tokenEvents ? 1 : longestRun(state);
    const longest = run.steps;
    limitRun();
    if (parameters.stepSpread > 0) {
      const spread = 1 + (parameters.stepSpread * (2 * random() - 1)) / Math.sqrt(run.steps);
      run.first *= spread;
      run.growth *= spread;
      run.steps = longest;
      limitRun();
    }
    runEnd = boundary(run, run.steps);
  }

  /** Ends the run where something known could change the batch: an adapter is loaded, a request comes out of the front end. */
  function limitRun(): void {
    if (run.steps === 1) return;
    const arrival = plan.admissionClosed || arriving.length === 0 ? Number.POSITIVE_INFINITY : arriving[0]!.readyAt;
    run.steps = Math.min(run.steps, stepsUntil(run, Math.min(arrival, slots.nextLoadTime())));
  }

  /** Ends a run under way no later than with the first of its steps that ends at `time` or later, and after the present. */
  function cutRun(time: number): void {
    if (runEnd === Number.POSITIVE_INFINITY || run.steps === 1) return;
    const steps = Math.max(stepsUntil(run, time), stepsEnded(run, clock) + 1);
    if (steps >= run.steps) return;
    run.steps = steps;
    runEnd = boundary(run, steps);
  }

  /** Brings the sequences to the present: the steps of a run that have ended are done. */
  function settle(): void {
    if (runEnd === Number.POSITIVE_INFINITY || run.steps === 1) return;
    settleRun(run, Math.min(stepsEnded(run, clock), run.steps - 1), state, totals);
  }

  function leave(sequence: Sequence): void {
    releaseBlocks(sequence, state);
    if (sequence.adapter !== undefined) {
      slots.release(sequence.adapter);
      state.runningAdapters.remove(sequence.adapter);
    }
    live.delete(sequence.id);
  }

  function endRun(at: number, events: EngineEvent[]): void {
    if (run.steps > 1) settleRun(run, run.steps - 1, state, totals);
    runEnd = Number.POSITIVE_INFINITY;
    totals.steps++;
    const ids: RequestId[] | undefined = tokenEvents ? [] : undefined;
    const ended: Sequence[] = [];
    let kept = 0;
    for (let index = 0; index < running.length; index++) {
      const sequence = running[index]!;
      const stepped = sequence.scheduled > 0;
      sequence.computed += sequence.scheduled;
      sequence.scheduled = 0;
      const yields = stepped && missingTokens(sequence) === 0;
      if (yields && sequence.outputTokens > 0) {
        sequence.generated++;
        totals.generatedTokens++;
        ids?.push(sequence.id);
        if (sequence.generated === 1) {
          countFirstToken(totals, sequence, at);
          events.push({ type: 'first-token', at, id: sequence.id, cachedTokens: sequence.cachedTokens });
        } else {
          totals.interTokenSum += at - sequence.lastTokenAt;
          totals.interTokenCount++;
        }
        sequence.lastTokenAt = at;
      }
      if (yields && sequence.generated >= sequence.outputTokens) {
        ended.push(sequence);
        leave(sequence);
      } else {
        if (kept < index) running[kept] = sequence;
        kept++;
      }
    }
    running.length = kept;
    if (ids !== undefined && ids.length > 0) events.push({ type: 'tokens', at, ids });
    for (const sequence of ended) {
      countFinished(totals, sequence, at);
      const { id, generated, cachedTokens } = sequence;
      events.push({ type: 'finished', at, id, generatedTokens: generated, cachedTokens });
    }
  }

  function refuse(at: number, id: RequestId, reason: 'prompt-too-long' | 'adapters-disabled'): void {
    rejections.push({ type: 'rejected', at, id, reason });
  }

  return {
    maxModelLen,
    submit(now, request) {
      const { id, promptTokens } = request;
      if (live.has(id)) throw new Error(`request id ${id} is already in the engine`);
      if (!Number.isInteger(promptTokens) || promptTokens < 1) {
        throw new RangeError(`request ${id}: promptTokens must be a whole number from 1`);
      }
      if (now < clock) throw new RangeError(`engine time went back from ${clock} to ${now}`);
      if (promptTokens + Math.min(1, request.outputTokens) > maxModelLen) return refuse(now, id, 'prompt-too-long');
      if (request.adapter !== undefined && parameters.maxLora === 0) return refuse(now, id, 'adapters-disabled');
      live.add(id);
      const frontEnd = parameters.frontEndSeconds + parameters.frontEndSecondsPerToken * promptTokens;
      const sequence = createSequence(request, now, now + frontEnd, maxModelLen);
      let place = arriving.length;
      while (place > 0 && arriving[place - 1]!.readyAt > sequence.readyAt) place--;
      if (place === arriving.length) arriving.push(sequence);
      else arriving.splice(place, 0, sequence);
      if (!plan.admissionClosed) cutRun(sequence.readyAt);
    },
    nextEventTime: () =>
      rejections.length === 0 ? nextInternalTime() : Math.min(nextInternalTime(), rejections[0]!.at),
    advance(now) {
      forwardTo(now);
      let events: EngineEvent[] | undefined;
      for (let at = nextInternalTime(); at <= now; at = nextInternalTime()) {
        events ??= [];
        enterQueue(at);
        if (slots.nextLoadTime() <= at) {
          for (const adapter of slots.finishLoads(at)) events.push({ type: 'adapter-loaded', at, adapter });
        }
        if (runEnd <= at) endRun(at, events);
        if (runEnd === Number.POSITIVE_INFINITY) beginRun(at, events);
      }
      enterQueue(now);
      if (rejections.length === 0) return events ?? NO_EVENTS;
      const due = rejections.filter((event) => event.at <= now);
      rejections.splice(0, due.length);
      return [...(events ?? []), ...due].sort((left, right) => left.at - right.at);
    },
    cancel(id) {
      if (!live.has(id)) return false;
      const has = (sequence: Sequence) => sequence.id === id;
      const front = arriving.findIndex(has);
      if (front >= 0) {
        arriving.splice(front, 1);
        return live.delete(id);
      }
      cutRun(clock);
      const queued = waiting.findIndex(has);
      if (queued >= 0) {
        state.waitingAdapters.remove(waiting[queued]!.adapter);
        waiting.splice(queued, 1);
        return live.delete(id);
      }
      settle();
      const [sequence] = running.splice(running.findIndex(has), 1);
      leave(sequence!);
      return true;
    },
    setSpeed(factor) {
      if (!(factor > 0 && Number.isFinite(factor))) {
        throw new RangeError(`engine speed must be a number above 0, got ${factor}`);
      }
      cutRun(clock);
      speed = factor;
    },
    snapshot() {
      settle();
      const usedBlocks = totalBlocks - state.pool.freeCount();
      return {
        frontEnd: arriving.length,
        waiting: waiting.length,
        running: running.length,
        usedBlocks,
        totalBlocks,
        kvUsage: usedBlocks / totalBlocks,
        prefixQueries: state.prefixQueries,
        prefixHits: state.prefixHits,
        preemptions: state.preemptions,
        runningAdapters: state.runningAdapters.names(),
        waitingAdapters: state.waitingAdapters.names(),
        counters: { ...totals },
      };
    },
    insight(blocks, promptTokens, adapter) {
      settle();
      return lookInside({ state, arriving, parameters, speed, now: clock }, blocks, promptTokens, adapter);
    },
  };
}
