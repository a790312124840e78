import type { FleetRequest } from '../fleet/fleet-request';

/** Merges a few lists of requests, each in order of arrival, into one; of requests at one time the first list's come first. */
export function* inOrderOfArrival(lists: ReadonlyArray<Iterator<FleetRequest>>): Generator<FleetRequest> {
  const heads = lists.map((list) => list.next());
  for (;;) {
    let first = -1;
    for (const [index, head] of heads.entries()) {
      if (head.done) continue;
      const best = heads[first];
      if (best === undefined || best.done || head.value.at < best.value.at) first = index;
    }
    const next = heads[first];
    if (next === undefined || next.done) return;
    yield next.value;
    heads[first] = lists[first]!.next();
  }
}
