import type { FlowControlState, SchedulerState } from '../../../../lib/translate/gateway-state';
import { type Admission, createAdmission } from '../../../../runtime/endpoint-picker/admission/admission';
import type { RoomLimits } from '../../../../runtime/endpoint-picker/admission/room';
import type { PickedEndpoints, PickRequest, PickResult } from '../../../../runtime/endpoint-picker/endpoint-picker';
import { gatewayState, schedulerState } from '../support/fixtures';

export const FLOW_CONTROL: FlowControlState = {
  bands: {
    critical: { ttlMs: 10_000, maxRequests: 100, maxBytes: 1_000_000 },
    standard: { ttlMs: 10_000, maxRequests: 100, maxBytes: 1_000_000 },
    sheddable: { ttlMs: 5_000, maxRequests: 100, maxBytes: 1_000_000 },
  },
  maxBytes: 4_000_000,
  maxTenants: 10,
  trustClientHeaders: false,
};

export const REQUEST: PickRequest = {
  scheduler: 'models/llama',
  model: 'llama',
  promptBytes: 4000,
  prefixHashes: [],
  explain: false,
};

/** What loading an adapter costs. Milliseconds. */
export const LOAD_MS = 1000;

/** A stand-in for the picker with a number of places, a clock moved by hand, and everything that admission told. */
export function admissionRig(change: Partial<SchedulerState> = { flowControl: FLOW_CONTROL }) {
  const world = { now: 0, places: 0, ready: true, throwsFor: '', fullAdapters: new Set<string>() };
  let decisions = 0;
  const sent: PickRequest[] = [];
  const rooms: RoomLimits[] = [];
  const events: unknown[][] = [];
  const timers = new Set<{ readonly at: number; readonly work: () => void }>();

  function send(request: PickRequest): PickedEndpoints {
    if (request.model === world.throwsFor) throw new Error('the picker is broken');
    sent.push(request);
    world.places -= 1;
    return { outcome: 'picked', endpoints: ['10.0.0.0:8000'], ticket: { served() {}, firstToken() {}, done() {} } };
  }

  const scheduler = schedulerState(change);
  const admission: Admission = createAdmission({
    picker: {
      pick: (request) => (world.ready ? send(request) : { outcome: 'no-endpoints', retryAfterSeconds: 1 }),
      pickWithin(request, room, waitedForAdapterMs = Number.POSITIVE_INFINITY) {
        rooms.push(room);
        decisions += 1;
        if (world.places === 0 && request.model !== world.throwsFor) return undefined;
        const isFull = world.fullAdapters.has(request.adapter ?? '') && waitedForAdapterMs < LOAD_MS;
        return isFull ? { outcome: 'adapter-full', loadMs: LOAD_MS } : send(request);
      },
      hasEndpoints: () => world.ready,
    },
    state: gatewayState(scheduler),
    clock: () => world.now,
    after(delayMs, work) {
      const timer = { at: world.now + delayMs, work };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    observe: {
      left: (...told) => events.push(['left', ...told]),
      refused: (...told) => events.push(['refused', ...told]),
    },
  });

  return {
    world,
    admission,
    scheduler,
    sent,
    rooms,
    /** How often the picker was asked with limits. */
    decisions: () => decisions,
    events,
    timers,
    /** Moves the clock, firing what is due on the way. */
    pass(milliseconds: number): void {
      const end = world.now + milliseconds;
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers.delete(due);
        world.now = Math.max(world.now, due.at);
        due.work();
      }
      world.now = end;
    },
    free(places: number): void {
      world.places += places;
      admission.roomChanged('models/llama');
    },
    /** Picks, and notes the outcome when there is one. */
    ask(request: Partial<PickRequest> = {}): { outcome: string | undefined; result?: PickResult; cancel(): void } {
      const answer: { outcome: string | undefined; result?: PickResult; cancel(): void } = {
        outcome: undefined,
        cancel() {},
      };
      const end = (outcome: string) => {
        if (answer.outcome !== undefined) throw new Error('settled twice');
        answer.outcome = outcome;
      };
      const { cancel } = admission.pickThen(
        { ...REQUEST, ...request },
        (result) => {
          end(result.outcome);
          answer.result = result;
        },
        () => end('failed'),
      );
      answer.cancel = cancel;
      return answer;
    },
  };
}
