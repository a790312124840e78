import type { FleetRequest, Workload } from '../fleet/fleet-request';

/** Requests per second on average: what the trace has, and what it is to have. Both above 0. */
export interface TraceRates {
  readonly from: number;
  readonly to: number;
}

/** The requests of a trace, their times stretched or squeezed alike so that they come at another rate on average. */
export function traceWorkload(requests: Workload, { from, to }: TraceRates): Workload {
  return { [Symbol.iterator]: () => scaled(requests, from / to) };
}

function* scaled(requests: Workload, scale: number): Generator<FleetRequest> {
  for (const request of requests) yield { ...request, at: request.at * scale };
}
