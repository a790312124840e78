import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { type GatewayState, schedulerName } from '../../lib/translate/gateway-state';
import { longestHoldMs } from '../../lib/translate/gateway-state/longest-hold';
import type { PickerTarget } from '../picker-rpc/connect/picker-address';
import { remotePicker } from '../picker-rpc/connect/remote-picker';
import type { Pickers } from './picker-core';

export interface RemotePickersOptions {
  /** Of a state. A change opens and ends connections. */
  readonly targets: (state: GatewayState) => readonly PickerTarget[];
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
    targets: targets(first),
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
      picker.follow(targets(next));
    },
    status: () => [],
    waiting: () => [],
    hasEndpoints: picker.hasEndpoints,
    peers: picker.connected,
    close: async () => picker.close(),
  };
}

/** Milliseconds, by scheduler. */
function longestHolds({ schedulers }: GatewayState): ReadonlyMap<string, number> {
  return new Map(schedulers.map((scheduler) => [schedulerName(scheduler), longestHoldMs({ schedulers: [scheduler] })]));
}
