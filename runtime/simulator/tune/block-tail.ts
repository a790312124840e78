import type { CompleteWeights } from '../../../lib/api/inference-gateway-config/scorer-weights';
import type { FleetRequest } from '../fleet/fleet-request';
import type { PodSpec } from '../fleet/fleet-run';
import { runFleet } from '../fleet/run-fleet';
import { gatewayPolicy } from '../policies/gateway';
import { quantile } from '../report/quantile';

/** Times to first token in one part of a trace, seconds. */
export interface Tail {
  readonly p95: number;
  readonly p99: number;
}

/** What a request that was refused or failed counts for, in seconds: worse than any wait that is worth having. */
const FAILED_SECONDS = 120;

/** `spec.overload.maxQueueTime` as it is by default. */
const MAX_QUEUE_SECONDS = 30;

/** The part of a block, from its start, in which caches fill and which does not count. */
const WARMUP_SHARE = 0.1;

/** Replays a block on a fleet whose gateway picks by `weights`. */
export function blockTail(
  pods: readonly PodSpec[],
  block: readonly FleetRequest[],
  weights: CompleteWeights,
  seed: number,
): Tail {
  const { firstTokenSeconds, refused, errors } = runFleet({
    pods,
    events: [],
    workload: block,
    warmupSeconds: WARMUP_SHARE * block.at(-1)!.at,
    firstTokenLimitSeconds: FAILED_SECONDS,
    noticeSeconds: 0,
    maxQueueTimeSeconds: MAX_QUEUE_SECONDS,
    network: { delaySeconds: 0.005, loss: 0 },
    policy: gatewayPolicy('gateway', weights),
    seed,
  });
  const waits = [...firstTokenSeconds, ...Array<number>(refused + errors).fill(FAILED_SECONDS)].sort((a, b) => a - b);
  return { p95: quantile(waits, 0.95) ?? FAILED_SECONDS, p99: quantile(waits, 0.99) ?? FAILED_SECONDS };
}
