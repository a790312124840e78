import type { Lifetimes } from './trust-domain';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Of what routers, pickers and Envoys show each other. Each is renewed after two thirds of its life. Milliseconds. */
export const INTERNAL_LIFETIMES: Lifetimes = { authority: 3_652 * DAY_MS, leaf: 90 * DAY_MS };

/** Of what Envoy Gateway and its Envoys show each other. Milliseconds. */
export const CONTROL_PLANE_LIFETIMES: Lifetimes = { authority: 3_652 * DAY_MS, leaf: 365 * DAY_MS };

/**
 * Of what the controller, Envoy Gateway and Envoys show each other for InferencePools. What Envoys have of it is part of their
 * configuration, which stays as it is while nothing changes. Milliseconds.
 */
export const INFERENCE_POOL_LIFETIMES: Lifetimes = { authority: 3_652 * DAY_MS, leaf: 3_652 * DAY_MS };

/** A certificate is valid from so long before it is issued: clocks differ. Milliseconds. */
export const CLOCK_SKEW_MS = HOUR_MS;

/**
 * Within this time every pod has what is written for it: kubelets look about each minute, processes read their files
 * every few seconds. Milliseconds.
 */
export const GRACE_MS = HOUR_MS;

/** It is looked at again at the latest after this: timers do not last for months. Milliseconds. */
const LONGEST_WAIT_MS = DAY_MS;

/** Milliseconds from `now` until `dueAt`, both since 1970. */
export function waitUntil(dueAt: number, now: number): number {
  return Math.min(Math.max(dueAt - now, 0), LONGEST_WAIT_MS);
}
