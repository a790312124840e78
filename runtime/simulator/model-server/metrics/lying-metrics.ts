import type { EngineSnapshot } from '../../engine/types';
import type { Faults } from '../faults';

/** A queue that no engine works off soon. */
const FULL_QUEUE = 1000;
const FULL_BATCH = 256;

/** What the metrics page tells in place of the truth, where it lies. Totals stay true. */
export function told(snapshot: EngineSnapshot, lie: Faults['lyingMetrics']): EngineSnapshot {
  if (lie === undefined) return snapshot;
  const { totalBlocks } = snapshot;
  return lie === 'idle'
    ? { ...snapshot, frontEnd: 0, waiting: 0, running: 0, usedBlocks: 0, kvUsage: 0 }
    : { ...snapshot, waiting: FULL_QUEUE, running: FULL_BATCH, usedBlocks: totalBlocks, kvUsage: 1 };
}
