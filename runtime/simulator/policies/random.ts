import type { PolicyKind } from '../fleet/policy';
import { NO_SCRAPES } from './no-scrapes';
import { readyPods, withNext } from './ready-pods';

/** Each ready pod with the same chance, each time. */
export const random: PolicyKind = {
  name: 'random',
  scrapeInterval: NO_SCRAPES,
  create(view) {
    const ready = readyPods(view);
    return {
      choose() {
        const pods = ready.current;
        if (pods.length === 0) return 'no-endpoints';
        return { pods: withNext(pods, Math.floor(view.random() * pods.length)) };
      },
    };
  },
};
