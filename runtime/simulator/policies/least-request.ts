import type { PolicyKind } from '../fleet/policy';
import { createInFlight } from './in-flight';
import { NO_SCRAPES } from './no-scrapes';
import { readyPods } from './ready-pods';

/** The pod with the fewest requests in flight, by the balancer's own count; chance among equals. */
export const leastRequest: PolicyKind = {
  name: 'least-request',
  scrapeInterval: NO_SCRAPES,
  create(view) {
    const ready = readyPods(view);
    const inFlight = createInFlight(view.pods.length);
    return {
      choose() {
        if (ready.current.length === 0) return 'no-endpoints';
        const keys = new Map(ready.current.map((pod) => [pod, inFlight.of(pod) + view.random()]));
        return inFlight.send(ready.current.toSorted((a, b) => keys.get(a)! - keys.get(b)!).slice(0, 3));
      },
    };
  },
};
