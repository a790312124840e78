import { createPrefixIndex } from '../../endpoint-picker/prefix/prefix-index';
import type { PolicyKind } from '../fleet/policy';
import { createInFlight } from './in-flight';
import { NO_SCRAPES } from './no-scrapes';
import { readyPods, withNext } from './ready-pods';

/**
 * The pod that was last sent the longest part of the prompt, however busy it is; a prompt that nobody holds goes to the
 * pod with the fewest requests in flight.
 */
export const prefixSticky: PolicyKind = {
  name: 'prefix-sticky',
  scrapeInterval: NO_SCRAPES,
  create(view) {
    const ready = readyPods(view);
    const inFlight = createInFlight(view.pods.length);
    const index = createPrefixIndex(view.random);
    const matched = new Int32Array(view.pods.length);
    return {
      choose({ prefixHashes }) {
        const pods = ready.current;
        if (pods.length === 0) return 'no-endpoints';
        index.match(prefixHashes, matched);
        let best = 0;
        for (let place = 1; place < pods.length; place++) {
          const more = matched[pods[place]!]! - matched[pods[best]!]!;
          if (more > 0 || (more === 0 && inFlight.of(pods[place]!) < inFlight.of(pods[best]!))) best = place;
        }
        index.add(prefixHashes, pods[best]!);
        return inFlight.send(withNext(pods, best));
      },
    };
  },
};
