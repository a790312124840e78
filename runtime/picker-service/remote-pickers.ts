import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { type GatewayState, type SchedulerState, schedulerName } from '../../lib/translate/gateway-state';
import type { PickerTarget } from '../picker-rpc/connect/picker-address';
import { remotePicker } from '../picker-rpc/connect/remote-picker';
import type { Pickers } from './picker-core';

export interface RemotePickersOptions {
  readonly targets: readonly PickerTarget[];
  /** Who the router is among its replicas, over its lives. */
  readonly router: string;
  readonly tls?: () => SecureContextOptions;
  readonly log: Logger;
}

/** A router whose pickers are away serves without them, so this bounds its start only. Milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Connects a router to pickers that are processes of their own. Resolves once they are there, or after 5 s without. */
export async function connectPickers(
  { targets, router, tls, log }: RemotePickersOptions,
  first: GatewayState,
  onNoAnswer: (scheduler: string) => void,
): Promise<Pickers> {
  let state = first;
  let holds = longestHolds(first);
  const picker = remotePicker({
    targets,
    router,
    boot: `${process.pid}-${Date.now()}`,
    gateway: () => state.gateway,
    tls: () => tls?.(),
    longestHoldMs: (scheduler) => holds.get(scheduler) ?? 0,
    clock: () => performance.now(),
    random: Math.random,
    onNoAnswer,
    log,
  });
  if (!(await picker.untilConnected(CONNECT_TIMEOUT_MS))) {
    log.warn('not every picker is connected; requests that none picks for are balanced by Envoy');
  }
  return {
    picker,
    update(next) {
      state = next;
      holds = longestHolds(next);
    },
    status: () => [],
    waiting: () => [],
    peers: picker.connected,
    close: async () => picker.close(),
  };
}

/** Milliseconds, by scheduler. */
function longestHolds({ schedulers }: GatewayState): ReadonlyMap<string, number> {
  return new Map(schedulers.map((scheduler) => [schedulerName(scheduler), longestHold(scheduler)]));
}

function longestHold({ flowControl, overload }: SchedulerState): number {
  const bands = flowControl === undefined ? [] : Object.values(flowControl.bands).map(({ ttlMs }) => ttlMs);
  return Math.max(0, overload.emptyPoolHoldMs ?? 0, ...bands);
}
