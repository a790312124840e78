import type { PolicyKind } from '../fleet/policy';
import { NO_SCRAPES } from './no-scrapes';
import { readyPods, withNext } from './ready-pods';

/** One after the other. */
export const roundRobin: PolicyKind = {
  name: 'round-robin',
  scrapeInterval: NO_SCRAPES,
  create(view) {
    const ready = readyPods(view);
    let next = 0;
    return {
      choose() {
        const pods = ready.current;
        if (pods.length === 0) return 'no-endpoints';
        next = (next + 1) % pods.length;
        return { pods: withNext(pods, next) };
      },
    };
  },
};
