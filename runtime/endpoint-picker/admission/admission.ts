import { type GatewayState, type SchedulerState, schedulerName } from '../../../lib/translate/gateway-state';
import type { EndpointPicker, PendingPick, PickRequest, PickResult } from '../endpoint-picker';
import type { AdmissionOptions } from './admission-options';
import { createWaitingRoom, type WaitingRoom, type WaitingStatus } from './waiting-room';

/**
 * Holds requests before the picker: where `flowControl` is set until an endpoint has room for their band, and for a pool
 * without a ready endpoint until one is ready. It holds none that the picker could serve at once, and every one for a
 * bounded time only.
 */
export interface Admission extends EndpointPicker {
  pick(request: PickRequest): PickResult | PendingPick;
  /**
   * The same with a call back, at once or later, in place of a promise; `failed` is called where the promise would reject.
   * Neither may throw.
   */
  pickThen(
    request: PickRequest,
    settled: (result: PickResult) => void,
    failed: (error: unknown) => void,
  ): { cancel(): void };
  /** To be called when the scheduler's endpoints may have room that they had not. */
  roomChanged(scheduler: string): void;
  /** Follows the state, after the picker has. What waits for a scheduler that is gone is refused. */
  update(state: GatewayState): void;
  /** What waits now, by scheduler. */
  waiting(): WaitingStatus[];
  /** Refuses all that waits, and whatever would have to wait from now on, with `shutting-down`. */
  close(): void;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const rooms = new Map<string, WaitingRoom>();
  let closed = false;

  function update(state: GatewayState): void {
    const gone = new Set(rooms.keys());
    for (const scheduler of state.schedulers) {
      const name = schedulerName(scheduler);
      gone.delete(name);
      follow(name, scheduler);
    }
    for (const name of gone) {
      rooms.get(name)?.close('no-endpoints');
      rooms.delete(name);
    }
  }

  function follow(name: string, scheduler: SchedulerState): void {
    const room = rooms.get(name);
    if (room !== undefined) room.update(scheduler);
    else rooms.set(name, createWaitingRoom(name, scheduler, options));
  }

  function pickThen(
    request: PickRequest,
    settled: (result: PickResult) => void,
    failed: (error: unknown) => void,
  ): { cancel(): void } {
    const room = closed ? undefined : rooms.get(request.scheduler);
    if (room !== undefined) return room.pick(request, settled, failed);
    settled(closed ? SHUTTING_DOWN : options.picker.pick(request));
    return NOTHING_TO_CANCEL;
  }

  function pick(request: PickRequest): PickResult | PendingPick {
    let settled: PickResult | undefined;
    let failed: { readonly error: unknown } | undefined;
    let later: { resolve(result: PickResult): void; reject(error: unknown): void } | undefined;
    const { cancel } = pickThen(
      request,
      (result) => {
        settled = result;
        later?.resolve(result);
      },
      (error) => {
        failed = { error };
        later?.reject(error);
      },
    );
    if (failed !== undefined) throw (failed as { readonly error: unknown }).error;
    if (settled !== undefined) return settled;
    const result = new Promise<PickResult>((resolve, reject) => {
      later = { resolve, reject };
    });
    return { result, cancel };
  }

  update(options.state);
  return {
    pick,
    pickThen,
    update,
    roomChanged: (scheduler) => rooms.get(scheduler)?.tryAgain(),
    waiting: () => [...rooms.values()].map((room) => room.status()),
    close() {
      closed = true;
      for (const room of rooms.values()) room.close('shutting-down');
      rooms.clear();
    },
  };
}

const NOTHING_TO_CANCEL = { cancel() {} };
const SHUTTING_DOWN: PickResult = { outcome: 'shutting-down', retryAfterSeconds: 1 };
