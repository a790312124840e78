import { BANDS, type Band, type FlowControlState, type SchedulerState } from '../../../lib/translate/gateway-state';
import type { PickRequest, PickResult, Refusal } from '../endpoint-picker';
import type { AdmissionOptions } from './admission-options';
import { bandOf } from './band';
import { createDispatchRate, drainMs, noteDispatch } from './dispatch-rate';
import { explainHeld } from './explain-held';
import { createFlowQueue, type Waiting } from './flow-queue';
import { createRooms, ROOM } from './room';
import { retryAfterSeconds } from './saturation';

/** The requests that wait for the endpoints of one scheduler. */
export interface WaitingRoom {
  /** Decides at once or later. Nothing is called back after `cancel`, but for `cancelled` by it. */
  pick(request: PickRequest, settled: (result: PickResult) => void): { cancel(): void };
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
}

/** Without flow control only requests for an empty pool are held. */
const HOLD_ONLY: FlowControlState = {
  bands: {
    critical: { ttlMs: 0, maxRequests: 1000, maxBytes: 268_435_456 },
    standard: { ttlMs: 0, maxRequests: 1000, maxBytes: 268_435_456 },
    sheddable: { ttlMs: 0, maxRequests: 1000, maxBytes: 268_435_456 },
  },
  maxBytes: 536_870_912,
  maxTenants: 100,
  trustClientHeaders: false,
};

/**
 * Room also comes by time alone, as prompts are computed, without an event. While requests wait it is looked for as
 * often as this. Milliseconds.
 */
const LOOK_MS = 20;

/** The answer's length where the client sets no bound; what it may cost a tenant is capped. Tokens. */
const USUAL_OUTPUT_TOKENS = 256;
const MOST_TOKENS = 1_000_000;
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
    leave(held, 'queue-full', retryAfter(held.band)),
  );
  const rate = createDispatchRate();
  const rooms = createRooms();
  let cancelTimer: (() => void) | undefined;
  let dispatching = false;
  let again = false;

  function pick(request: PickRequest, settled: (result: PickResult) => void): { cancel(): void } {
    const { flowControl } = scheduler;
    const ready = picker.hasEndpoints(name);
    if (ready && flowControl === undefined) return atOnce(picker.pick(request), settled);
    const band = bandOf(request.priority ?? 0);
    rooms.asked(band, clock());
    if (request.subset !== undefined) return pickOfSubset(request, request.subset, band, settled);
    // While others wait, whose turn it is is for the queue to say.
    if (ready && queue.size === 0) {
      const picked = picker.pickWithin(request, rooms.limitsOf(band, clock()));
      if (picked !== undefined) return atOnce(picked, settled);
    }
    const holdMs = ready ? (flowControl ?? HOLD_ONLY).bands[band].ttlMs : (scheduler.overload.emptyPoolHoldMs ?? 0);
    const since = clock() - (request.heldMs ?? 0);
    if (since + holdMs <= clock()) return refuse(ready ? 'expired' : 'no-endpoints', band, settled);
    const held: Held = {
      band,
      tenant: request.tenant ?? '',
      tokens: costOf(request),
      bytes: request.bodyBytes ?? request.promptBytes,
      expiresAt: since + holdMs,
      since,
      request,
      settle: settled,
    };
    if (!queue.enqueue(held)) return refuse('queue-full', band, settled);
    noteDispatch(rate, 0, queue.size, clock());
    tryAgain();
    return {
      cancel() {
        if (!queue.remove(held)) return;
        leave(held, 'cancelled', retryAfter(held.band));
        setTimer();
      },
    };
  }

  /** Such a request never waits: it would hold back others, who may go where it may not. */
  function pickOfSubset(
    request: PickRequest,
    subset: readonly string[],
    band: Band,
    settled: (result: PickResult) => void,
  ): { cancel(): void } {
    if (!picker.hasEndpoints(name, subset)) return refuse('no-endpoints', band, settled);
    const picked = picker.pickWithin(request, rooms.limitsOf(band, clock()));
    return picked === undefined ? refuse('saturated', band, settled) : atOnce(picked, settled);
  }

  function atOnce(result: PickResult, settled: (result: PickResult) => void): { cancel(): void } {
    settled(result);
    return NOTHING_TO_CANCEL;
  }

  function refuse(outcome: Refusal, band: Band, settled: (result: PickResult) => void): { cancel(): void } {
    observe.refused(name, outcome);
    return atOnce({ outcome, retryAfterSeconds: retryAfter(band) }, settled);
  }

  /** By the measured rate, for all that is to go before a request that joins the band now. */
  function retryAfter(band: Band): number {
    let ahead = 0;
    for (const one of BANDS) {
      ahead += queue.sizeOf(one).requests;
      if (one === band) break;
    }
    return retryAfterSeconds(drainMs(rate, ahead), scheduler.overload);
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
    }
    setTimer();
  }

  function dispatch(): void {
    const now = clock();
    if (queue.nextExpiry() <= now) expire(now);
    if (!picker.hasEndpoints(name)) return;
    queue.dispatch((held, owed) => {
      const picked =
        scheduler.flowControl === undefined
          ? picker.pick(held.request)
          : picker.pickWithin(held.request, owed ? ROOM.critical : rooms.limitsOf(held.band, clock()));
      if (picked === undefined) return false;
      noteDispatch(rate, 1, queue.size - 1, clock());
      observe.left(name, held.band, picked.outcome === 'picked' ? 'dispatched' : picked.outcome, clock() - held.since);
      held.settle(explainHeld(picked, clock() - held.since, held.band));
      return true;
    });
  }

  function expire(now: number): void {
    const outcome = picker.hasEndpoints(name) ? 'expired' : 'no-endpoints';
    // Those that expire together are ahead of each other when they come again.
    const seconds = {
      critical: retryAfter('critical'),
      standard: retryAfter('standard'),
      sheddable: retryAfter('sheddable'),
    };
    for (const held of queue.expire(now)) leave(held, outcome, seconds[held.band]);
  }

  function leave(held: Held, outcome: Refusal, retryAfterSeconds: number): void {
    noteDispatch(rate, 0, queue.size, clock());
    observe.left(name, held.band, outcome, clock() - held.since);
    held.settle({ outcome, retryAfterSeconds });
  }

  function setTimer(): void {
    if (queue.size === 0) {
      cancelTimer?.();
      cancelTimer = undefined;
      return;
    }
    if (cancelTimer !== undefined) return;
    const untilExpiry = Math.max(SOONEST_MS, queue.nextExpiry() - clock());
    const delay = picker.hasEndpoints(name) ? Math.min(LOOK_MS, untilExpiry) : Math.min(1000, untilExpiry);
    cancelTimer = after(delay, () => {
      cancelTimer = undefined;
      tryAgain();
    });
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
      for (const held of queue.drain()) leave(held, reason, retryAfter(held.band));
      setTimer();
    },
  };
}

const NOTHING_TO_CANCEL = { cancel() {} };

/** What the request costs its tenant: its prompt, and the answer that it may ask for. Tokens, at least 1. */
function costOf({ promptBytes, maxOutputTokens }: PickRequest): number {
  const tokens = promptBytes / BYTES_PER_TOKEN + (maxOutputTokens ?? USUAL_OUTPUT_TOKENS);
  return Math.min(MOST_TOKENS, Math.max(1, Math.round(tokens)));
}
