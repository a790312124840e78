import { type EngineMetrics, NO_METRICS } from '../../endpoint-picker/engine-metrics';
import { createPrefixIndex } from '../../endpoint-picker/prefix/prefix-index';
import type { PolicyKind } from '../fleet/policy';
import { readyPods } from './ready-pods';

const QUEUE_WEIGHT = 2;
const KV_WEIGHT = 2;
const PREFIX_WEIGHT = 3;

/**
 * The default endpoint picker of the Gateway API Inference Extension 1.5 by its published formulas: the highest
 * weighted sum of queue, KV cache and prefix scores over a metrics snapshot of 50 ms; chance among equals. Nothing is
 * known of what was sent since the snapshot, and a pod without metrics looks empty. A model of a peer, not its code:
 * the prefix index is ours, with its limit of 31,250 blocks a pod.
 */
export const gieDefault: PolicyKind = {
  name: 'gie-default',
  scrapeInterval: { busySeconds: 0.05, idleSeconds: 0.05 },
  create(view) {
    const ready = readyPods(view);
    const snapshots: EngineMetrics[] = view.pods.map(() => NO_METRICS);
    for (const pod of view.pods) {
      view.metrics.watch({
        address: pod.address,
        pod: pod.name,
        scheduler: 'fleet/peer',
        engine: 'vllm',
        busy: () => true,
        sent() {},
        answered(metrics) {
          if (metrics !== 'no-metrics') snapshots[pod.number] = metrics;
        },
        failed() {},
        paced() {},
      });
    }
    const index = createPrefixIndex(view.random);
    const matched = new Int32Array(view.pods.length);

    return {
      choose({ prefixHashes }) {
        const pods = ready.current;
        if (pods.length === 0) return 'no-endpoints';
        index.match(prefixHashes, matched);
        const queues = pods.map((pod) => snapshots[pod]!.waiting || 0);
        const least = Math.min(...queues);
        const range = Math.max(...queues) - least;
        const keyed = pods.map((pod, place) => {
          const queue = range === 0 ? 1 : 1 - (queues[place]! - least) / range;
          const kvCache = 1 - (snapshots[pod]!.kvUsage || 0);
          const prefix = prefixHashes.length === 0 ? 0 : matched[pod]! / prefixHashes.length;
          return {
            pod,
            score: QUEUE_WEIGHT * queue + KV_WEIGHT * kvCache + PREFIX_WEIGHT * prefix,
            chance: view.random(),
          };
        });
        keyed.sort((a, b) => b.score - a.score || a.chance - b.chance);
        const chosen = keyed.slice(0, 3).map(({ pod }) => pod);
        index.add(prefixHashes, chosen[0]!);
        return { pods: chosen };
      },
    };
  },
};
