import type { CompleteWeights } from '../../../lib/api/inference-gateway-config/scorer-weights';
import type { PodSpec } from '../fleet/fleet-run';
import { runFleet } from '../fleet/run-fleet';
import { gatewayPolicy } from '../policies/gateway';
import { quantile } from '../report/quantile';
import type { TraceBlock } from './trace-blocks';

/** Times to first token in one part of a trace, seconds. */
export interface Tail {
  readonly p95: number;
  readonly p99: number;
}

/** What a request that was refused or failed counts for, in seconds: worse than any wait that is worth having. */
const FAILED_SECONDS = 120;

/** The part of a block, from its start, in which caches fill and which does not count. */
const WARMUP_SHARE = 0.1;

/** What a block is replayed on. */
export interface TunedFleet {
  readonly pods: readonly PodSpec[];
  /** `spec.overload.maxQueueTime`, seconds. */
  readonly maxQueueSeconds: number;
}

/** Replays a block on a fleet whose gateway picks by `weights`. */
export function blockTail(
  { pods, maxQueueSeconds }: TunedFleet,
  block: TraceBlock,
  weights: CompleteWeights,
  seed: number,
): Tail {
  const { firstTokenSeconds, refused, errors } = runFleet({
    pods,
    events: [],
    workload: block.requests,
    warmupSeconds: WARMUP_SHARE * block.seconds,
    firstTokenLimitSeconds: FAILED_SECONDS,
    noticeSeconds: 0,
    maxQueueTimeSeconds: maxQueueSeconds,
    network: { delaySeconds: 0.005, loss: 0 },
    policy: gatewayPolicy('gateway', { weights }),
    seed,
  });
  const waits = [...firstTokenSeconds, ...Array<number>(refused + errors).fill(FAILED_SECONDS)].sort((a, b) => a - b);
  return { p95: quantile(waits, 0.95) ?? FAILED_SECONDS, p99: quantile(waits, 0.99) ?? FAILED_SECONDS };
}
