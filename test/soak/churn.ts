import { setTimeout as sleep } from 'node:timers/promises';
import { adaptersObject, type TestGateway } from '../e2e/support/gateway';
import { adaptersAfter, MODEL, PODS, scheduler } from './fleet';

export interface ChurnCounts {
  edits: number;
  adapterEdits: number;
  readinessChanges: number;
  kills: number;
}

export interface Churn {
  readonly counts: Readonly<ChurnCounts>;
  /** Adapters that are in force whatever edit is under way. */
  adapters(): readonly string[];
  /** Clock, milliseconds: the times at which a pod was killed. */
  readonly killedAt: readonly number[];
  /** Resolves once the last change is made good: every pod runs and is ready. */
  stop(): Promise<void>;
}

/** One change every `everyMs`: adapters, weights and limits, readiness, and each sixth time a pod is killed and comes back. */
export function startChurn(gateway: TestGateway, everyMs: number): Churn {
  const counts: ChurnCounts = { edits: 0, adapterEdits: 0, readinessChanges: 0, kills: 0 };
  const killedAt: number[] = [];
  const stopping = new AbortController();
  let adapters = adaptersAfter(0);

  async function change(turn: number): Promise<void> {
    const pod = PODS[turn % PODS.length]!;
    switch (turn % 6) {
      case 0:
      case 3:
        counts.edits += 1;
        return await gateway.writeConfig([scheduler(turn)]);
      case 1: {
        const next = adaptersAfter(turn);
        // What goes is not asked for any more before it goes, and what comes only once it is there.
        adapters = adapters.filter((adapter) => next.includes(adapter));
        await sleep(everyMs / 2, undefined, { signal: stopping.signal }).catch(() => {});
        await gateway.writeObjects('objects.yaml', [adaptersObject(MODEL, next)]);
        counts.adapterEdits += 1;
        return;
      }
      case 2:
        adapters = adaptersAfter(turn - 1);
        counts.readinessChanges += 1;
        return await gateway.writeReady({ [pod]: false });
      case 4:
        return await gateway.writeReady(Object.fromEntries(PODS.map((name) => [name, true])));
      default: {
        counts.kills += 1;
        killedAt.push(performance.now());
        await gateway.pod(pod).kill();
        return await gateway.pod(pod).restart();
      }
    }
  }

  async function run(): Promise<void> {
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (!stopping.signal.aborted) await change(turn);
    }
    await gateway.writeReady(Object.fromEntries(PODS.map((name) => [name, true])));
  }

  const done = run();
  return {
    counts,
    killedAt,
    adapters: () => adapters,
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
