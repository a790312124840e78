import type { PolicyKind } from '../fleet/policy';
import { NO_SCRAPES } from './no-scrapes';
import { readyPods } from './ready-pods';

/**
 * A Kubernetes Service with clients that keep their connections alive: a connection is given to a random ready pod once
 * and stays there until the pod is no longer ready. Nobody retries.
 */
export const connectionPinned: PolicyKind = {
  name: 'connection-pinned',
  scrapeInterval: NO_SCRAPES,
  create(view) {
    const ready = readyPods(view);
    const pinned = new Map<number, number>();
    return {
      choose({ connection }) {
        let pod = pinned.get(connection);
        if (pod === undefined || !view.pods[pod]!.ready) {
          if (ready.current.length === 0) return 'no-endpoints';
          pod = ready.current[Math.floor(view.random() * ready.current.length)]!;
          pinned.set(connection, pod);
        }
        return { pods: [pod] };
      },
    };
  },
};
