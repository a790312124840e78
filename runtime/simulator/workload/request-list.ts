import type { FleetRequest } from '../fleet/fleet-request';

/** The requests of a whole trace, in order of arrival. An array is one; others make each request as it is asked for. */
export interface RequestList extends Iterable<FleetRequest> {
  readonly length: number;
  /** `index`: from 0. */
  at(index: number): FleetRequest | undefined;
}

/** `length` requests, each made anew by `make` whenever it is asked for; nothing of them is kept. */
export function madeRequests(length: number, make: (index: number) => FleetRequest): RequestList {
  return {
    length,
    at: (index) => (index < length ? make(index) : undefined),
    *[Symbol.iterator]() {
      for (let index = 0; index < length; index++) yield make(index);
    },
  };
}
