import type { FleetRequest, Workload } from '../fleet/fleet-request';

/**
 * The requests of a trace, their times stretched or squeezed alike so that they come at `ratePerSecond` on average, or
 * as they are. With a rate `requests` is passed over once more, so it must begin anew each time; nothing is kept of it.
 * Throws when a rate cannot be had: a trace of fewer than two requests, or all at one moment.
 */
export function traceWorkload(
  requests: Workload,
  { ratePerSecond }: { readonly ratePerSecond?: number } = {},
): Workload {
  if (ratePerSecond === undefined) return requests;
  const scale = meanRate(requests) / ratePerSecond;
  return { [Symbol.iterator]: () => scaled(requests, scale) };
}

function* scaled(requests: Workload, scale: number): Generator<FleetRequest> {
  for (const request of requests) yield { ...request, at: request.at * scale };
}

function meanRate(requests: Workload): number {
  let count = 0;
  let first = 0;
  let last = 0;
  for (const { at } of requests) {
    if (count === 0) first = at;
    count += 1;
    last = at;
  }
  if (last <= first)
    throw new Error('the trace has no rate to change: expected requests at two different times or more');
  return (count - 1) / (last - first);
}
