import type { Band, FlowControlState, SchedulerState } from '../../../lib/translate/gateway-state';
import type { PickedEndpoints, PickRequest, PickResult, Refusal } from '../endpoint-picker';
import type { AdmissionOptions } from './admission-options';
import { bandOf } from './band';
import { createDispatchRate, type DispatchRate, drainMs, noteDispatch } from './dispatch-rate';
import { explainHeld } from './explain-held';
import { createFlowQueue, type Waiting } from './flow-queue';
import { createFullAdapters } from './full-adapters';
import { type AdapterFull, createRooms, ROOM } from './room';
import { retryAfterSeconds } from './saturation';

/** The requests that wait for the endpoints of one scheduler. */
export interface WaitingRoom {
  /**
   * Decides at once or later. Nothing is called back after `cancel`, but for `cancelled` by it. `failed`: the picker threw
   * for this request when its turn came. Throws where it does so at once. Neither call back may throw.
   */
  pick(
    request: PickRequest,
    settled: (result: PickResult) => void,
    failed: (error: unknown) => void,
  ): { cancel(): void };
  /** Room may have come. */
  tryAgain(): void;
  update(scheduler: SchedulerState): void;
  status(): WaitingStatus;
  /** Refuses all that waits. */
  close(reason: Refusal): void;
}

export interface WaitingStatus {
  readonly scheduler: string;
  readonly bands: Readonly<Record<Band, { readonly requests: number; readonly bytes: number }>>;
}

interface Held extends Waiting {
  readonly request: PickRequest;
  readonly since: number;
  readonly settle: (result: PickResult) => void;
  readonly fail: (error: unknown) => void;
  /** Clock, milliseconds: when it was offered first and found that where its adapter is there is no room. */
  asideSince: number | undefined;
}

/** Without flow control only requests for an empty pool are held: many such pools must fit in what the router may hold. */
const HOLD_ONLY: FlowControlState = {
  bands: {
    critical: { ttlMs: 0, maxRequests: 1000, maxBytes: 67_108_864 },
    standard: { ttlMs: 0, maxRequests: 1000, maxBytes: 67_108_864 },
    sheddable: { ttlMs: 0, maxRequests: 1000, maxBytes: 67_108_864 },
  },
  maxBytes: 134_217_728,
  maxTenants: 100,
  trustClientHeaders: false,
};

/**
 * Room also comes by time alone, as prompts are computed, without an event. While requests wait it is looked for as
 * often as this. Milliseconds.
 */
const LOOK_MS = 20;

/** The answer's length where the client sets no bound. Tokens. */
const USUAL_OUTPUT_TOKENS = 256;
const BYTES_PER_TOKEN = 4;

/** Clock tolerance: a timer may fire a little before the moment it was set for. Milliseconds. */
const SOONEST_MS = 1;

export function createWaitingRoom(
  name: string,
  first: SchedulerState,
  { picker, clock, after, observe }: AdmissionOptions,
): WaitingRoom {
  let scheduler = first;
  const queue = createFlowQueue<Held>(scheduler.flowControl ?? HOLD_ONLY, (held) =>
    leave(held, 'queue-full', retryAfter('queue-full', held.band)),
  );
  const rates: Readonly<Record<Band, DispatchRate>> = {
    critical: createDispatchRate(),
    standard: createDispatchRate(),
    sheddable: createDispatchRate(),
  };
  const rooms = createRooms();
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;
  let dispatching = false;
  let again = false;

  function pick(
    request: PickRequest,
    settled: (result: PickResult) => void,
    failed: (error: unknown) => void,
  ): { cancel(): void } {
    const { flowControl } = scheduler;
    const ready = picker.hasEndpoints(name);
    if (ready && flowControl === undefined) return atOnce(picker.pick(request), settled);
    const band = bandOf(request.priority ?? 0);
    rooms.asked(band, clock());
    if (request.subset !== undefined) return pickOfSubset(request, request.subset, band, settled);
    const holdMs = ready ? (flowControl ?? HOLD_ONLY).bands[band].ttlMs : (scheduler.overload.emptyPoolHoldMs ?? 0);
    const since = clock() - (request.heldMs ?? 0);
    const mayWait = clock() < since + holdMs;
    // While others wait, whose turn it is is for the queue to say.
    if (ready && queue.size === 0) {
      const picked = picker.pickWithin(request, rooms.limitsOf(band, clock()), mayWait ? 0 : undefined);
      if (picked?.outcome === 'picked') return atOnce(picked, settled);
    }
    if (!mayWait) return refuse(ready ? 'expired' : 'no-endpoints', band, settled);
    const held: Held = {
      band,
      tenant: request.tenant ?? '',
      tokens: costOf(request),
      bytes: request.bodyBytes ?? request.promptBytes,
      expiresAt: since + holdMs,
      since,
      request,
      settle: settled,
      fail: failed,
      asideSince: undefined,
    };
    if (!queue.enqueue(held)) {
      const picked = ready ? passBy(held) : undefined;
      return picked === undefined ? refuse('queue-full', band, settled) : atOnce(picked, settled);
    }
    note(band);
    tryAgain();
    return {
      cancel() {
        if (!queue.remove(held)) return;
        leave(held, 'cancelled', retryAfter('cancelled', held.band));
        setTimer();
      },
    };
  }

  /** With no place to wait in, it may still go at once before all that wait, if these are of lower bands. */
  function passBy(held: Held): PickResult | undefined {
    tryAgain();
    let picked: PickResult | undefined;
    queue.passBy(held, clock(), () => {
      picked = pickedOnly(picker.pickWithin(held.request, rooms.limitsOf(held.band, clock())));
      return picked !== undefined;
    });
    return picked;
  }

  /** Such a request never waits: it would hold back others, who may go where it may not. */
  function pickOfSubset(
    request: PickRequest,
    subset: readonly string[],
    band: Band,
    settled: (result: PickResult) => void,
  ): { cancel(): void } {
    if (!picker.hasEndpoints(name, subset)) return refuse('no-endpoints', band, settled);
    const picked = pickedOnly(picker.pickWithin(request, rooms.limitsOf(band, clock())));
    return picked === undefined ? refuse('saturated', band, settled) : atOnce(picked, settled);
  }

  function atOnce(result: PickResult, settled: (result: PickResult) => void): { cancel(): void } {
    settled(result);
    return NOTHING_TO_CANCEL;
  }

  function refuse(outcome: Refusal, band: Band, settled: (result: PickResult) => void): { cancel(): void } {
    observe.refused(name, outcome);
    return atOnce({ outcome, retryAfterSeconds: retryAfter(outcome, band) }, settled);
  }

  /** By the band's own measured rate, which has in it what higher bands take, for all that waits in it now. */
  function retryAfter(outcome: Refusal, band: Band): number {
    note(band);
    // No rate tells when there will be an endpoint again.
    const ahead = FOR_WANT_OF_ROOM.has(outcome) ? queue.sizeOf(band).requests : 0;
    return retryAfterSeconds(drainMs(rates[band], ahead), scheduler.overload);
  }

  /** To be called when what waits of the band has changed, but by a dispatch. */
  function note(band: Band): void {
    noteDispatch(rates[band], 0, queue.sizeOf(band).requests, clock());
  }

  function tryAgain(): void {
    if (queue.size === 0) return;
    if (dispatching) {
      again = true;
      return;
    }
    dispatching = true;
    try {
      do {
        again = false;
        dispatch();
      } while (again);
    } finally {
      dispatching = false;
      setTimer();
    }
  }

  function dispatch(): void {
    const now = clock();
    if (queue.nextExpiry() <= now) expire(now);
    if (!picker.hasEndpoints(name)) return;
    const fullAdapters = createFullAdapters(now);
    queue.dispatch(now, (held, owed) => {
      const limits = owed ? ROOM.critical : rooms.limitsOf(held.band, now);
      let picked: PickResult | AdapterFull | undefined;
      try {
        if (scheduler.flowControl === undefined) picked = picker.pick(held.request);
        else {
          const known = fullAdapters.before(held, limits);
          if (known !== undefined) return known;
          picked = picker.pickWithin(held.request, limits, now - (held.asideSince ?? now));
        }
      } catch (error) {
        // Alone: those behind it may be picked for, and who set off this dispatch has nothing to do with it.
        queue.remove(held);
        note(held.band);
        held.fail(error);
        return 'taken';
      }
      if (picked === undefined) return 'no-room';
      if (picked.outcome === 'adapter-full') return fullAdapters.found(held, limits, picked);
      noteDispatch(rates[held.band], 1, queue.sizeOf(held.band).requests - 1, clock());
      observe.left(name, held.band, picked.outcome === 'picked' ? 'dispatched' : picked.outcome, clock() - held.since);
      held.settle(explainHeld(picked, clock() - held.since, held.band));
      return 'taken';
    });
  }

  function expire(now: number): void {
    const outcome = picker.hasEndpoints(name) ? 'expired' : 'no-endpoints';
    // Those that expire together are ahead of each other when they come again.
    const seconds = {
      critical: retryAfter(outcome, 'critical'),
      standard: retryAfter(outcome, 'standard'),
      sheddable: retryAfter(outcome, 'sheddable'),
    };
    for (const held of queue.expire(now)) leave(held, outcome, seconds[held.band]);
  }

  function leave(held: Held, outcome: Refusal, retryAfterSeconds: number): void {
    note(held.band);
    observe.left(name, held.band, outcome, clock() - held.since);
    held.settle({ outcome, retryAfterSeconds });
  }

  function setTimer(): void {
    if (queue.size === 0) {
      timer?.cancel();
      timer = undefined;
      return;
    }
    const untilExpiry = Math.max(SOONEST_MS, queue.nextExpiry() - clock());
    const delay = picker.hasEndpoints(name) ? Math.min(LOOK_MS, untilExpiry) : Math.min(1000, untilExpiry);
    const at = clock() + delay;
    if (timer !== undefined && timer.at <= at) return;
    timer?.cancel();
    const cancel = after(delay, () => {
      timer = undefined;
      tryAgain();
    });
    timer = { at, cancel };
  }

  return {
    pick,
    tryAgain,
    update(next) {
      scheduler = next;
      queue.update(next.flowControl ?? HOLD_ONLY);
      tryAgain();
    },
    status: () => ({
      scheduler: name,
      bands: {
        critical: queue.sizeOf('critical'),
        standard: queue.sizeOf('standard'),
        sheddable: queue.sizeOf('sheddable'),
      },
    }),
    close(reason) {
      for (const held of queue.drain()) leave(held, reason, retryAfter(reason, held.band));
      setTimer();
    },
  };
}

/** What `pickWithin` answers for a request that does not wait for its adapter. */
function pickedOnly(found: PickedEndpoints | AdapterFull | undefined): PickedEndpoints | undefined {
  return found?.outcome === 'picked' ? found : undefined;
}

const NOTHING_TO_CANCEL = { cancel() {} };
const FOR_WANT_OF_ROOM: ReadonlySet<Refusal> = new Set(['saturated', 'queue-full', 'expired']);

/** What the request costs its tenant: its prompt, and the answers that it may ask for. Tokens, at least 1. */
function costOf({ promptBytes, maxOutputTokens, answers }: PickRequest): number {
  const tokens = promptBytes / BYTES_PER_TOKEN + (maxOutputTokens ?? USUAL_OUTPUT_TOKENS) * (answers ?? 1);
  return Math.max(1, Math.round(tokens));
}
