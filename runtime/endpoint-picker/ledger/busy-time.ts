/** How long an endpoint has had requests in flight. Times are of the clock, milliseconds. */
export interface BusyTime {
  /** Whole time up to the last change. */
  total: number;
  /** Begin of the busy time that lasts; NaN: idle. */
  since: number;
  /** Times that it began. */
  starts: number;
}

export function createBusyTime(): BusyTime {
  return { total: 0, since: Number.NaN, starts: 0 };
}

/** The number of requests in flight is another one from now on. */
export function noteRequests(busy: BusyTime, requests: number, now: number): void {
  if (requests > 0) {
    if (!Number.isNaN(busy.since)) return;
    busy.since = now;
    busy.starts += 1;
  } else if (!Number.isNaN(busy.since)) {
    busy.total += now - busy.since;
    busy.since = Number.NaN;
  }
}

/** Busy time up to now, milliseconds. */
export function busyMs(busy: BusyTime, now: number): number {
  return Number.isNaN(busy.since) ? busy.total : busy.total + (now - busy.since);
}
