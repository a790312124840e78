import { setTimeout as sleep } from 'node:timers/promises';
import type { TestGateway } from '../e2e/support/gateway';
import { until } from '../support/until';
import { type ChurnCounts, startChurn } from './churn';
import { MODEL, startSoakFleet } from './fleet';
import { type MemoryTrack, watchMemory } from './memory';
import { type Failed, startSteadyLoad } from './steady-load';

export interface SoakOptions {
  readonly seconds: number;
  readonly perSecond: number;
  /** Milliseconds between two changes. */
  readonly churnEveryMs: number;
  readonly progress: (line: string) => void;
}

export interface SoakReport {
  readonly sent: number;
  readonly churn: Readonly<ChurnCounts>;
  /** Failures of requests that were under way when a pod was killed: a stream that had begun cannot be saved. */
  readonly failedByKill: number;
  /** All others, of which there should be none. */
  readonly failed: readonly Failed[];
  /** Counters that must be zero once nothing is under way, and what they were. */
  readonly counters: Readonly<Record<string, number>>;
  readonly memory: ReadonlyMap<string, MemoryTrack>;
}

const ZERO_COUNTERS = [
  'bbr_open_streams',
  'bbr_buffered_body_bytes',
  'inference_pool_per_pod_in_flight_requests',
  'inference_extension_flow_control_queue_size',
];

/** Runs the whole gateway under an even load while adapters, pods and configuration change, and ends it. */
export async function runSoak({ seconds, perSecond, churnEveryMs, progress }: SoakOptions): Promise<SoakReport> {
  const gateway = await startSoakFleet();
  try {
    const memory = watchMemory(() => processes(gateway), 5000);
    const churn = startChurn(gateway, churnEveryMs);
    const load = startSteadyLoad(gateway.url, perSecond, () => [MODEL, ...churn.adapters()]);
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      await sleep(Math.min(10_000, end - performance.now()));
      progress(`${load.sent()} sent, ${load.open()} open, ${load.failures()} failed, ${JSON.stringify(churn.counts)}`);
    }
    await churn.stop();
    await load.stop();
    memory.stop();
    await gateway.untilIdle();
    const byKill = ({ startedAt, endedAt, streamed }: Failed) =>
      streamed && churn.killedAt.some((at) => startedAt <= at + 100 && at <= endedAt + 100);
    return {
      sent: load.sent(),
      churn: churn.counts,
      failedByKill: load.failed.filter(byKill).length,
      failed: load.failed.filter((one) => !byKill(one)),
      counters: await countersAtRest(gateway),
      memory: memory.tracks,
    };
  } finally {
    await gateway.close();
  }
}

function processes({ local }: TestGateway): Readonly<Record<string, number | undefined>> {
  const { envoy, router, pickers } = local.pids();
  return { envoy, router, ...Object.fromEntries(pickers.map((pid, index) => [`picker ${index}`, pid])) };
}

/** The sums of the counters, read until they are at zero or do not get there. */
async function countersAtRest(gateway: TestGateway): Promise<Readonly<Record<string, number>>> {
  const read = async () => {
    const sums: Record<string, number> = Object.fromEntries(ZERO_COUNTERS.map((name) => [name, 0]));
    for (const line of (await gateway.metrics()).split('\n')) {
      const match = /^(\w+)(?:\{[^}]*\})? (\S+)$/.exec(line);
      if (match !== null && match[1]! in sums) sums[match[1]!]! += Number(match[2]);
    }
    return sums;
  };
  let last = await read();
  await until('the counters are at rest', async () => {
    last = await read();
    return Object.values(last).every((sum) => sum === 0);
  }).catch(() => undefined);
  return last;
}
