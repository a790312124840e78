import type { PolicyKind } from '../fleet/policy';
import { createInFlight } from './in-flight';
import { NO_SCRAPES } from './no-scrapes';
import { readyPods } from './ready-pods';

/** Of two different pods by chance the one with fewer requests in flight: what Envoy calls LEAST_REQUEST. */
export const powerOfTwo: PolicyKind = {
  name: 'power-of-two',
  scrapeInterval: NO_SCRAPES,
  create(view) {
    const ready = readyPods(view);
    const inFlight = createInFlight(view.pods.length);
    return {
      choose() {
        const pods = ready.current;
        if (pods.length === 0) return 'no-endpoints';
        const first = Math.floor(view.random() * pods.length);
        if (pods.length === 1) return inFlight.send(pods);
        const second = (first + 1 + Math.floor(view.random() * (pods.length - 1))) % pods.length;
        const pair = [pods[first]!, pods[second]!];
        if (inFlight.of(pair[1]!) < inFlight.of(pair[0]!)) pair.reverse();
        return inFlight.send(pair);
      },
    };
  },
};
