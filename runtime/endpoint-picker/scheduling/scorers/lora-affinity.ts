import type { AdapterResidency } from '../../engine-metrics';
import type { Candidates } from '../candidates';
import { NEUTRAL, type Scorer } from '../scorer';

/** The adapter is in the batch, on its way by the ledger, or still loaded from earlier requests. */
const LOADED = 1;
const FREE_SLOT = 0.8;
/** The adapter is queued for, and every slot is taken. */
const WAITING = 0.6;

/** Where the request's LoRA adapter is loaded, else where it fits. A request for the base model is neutral. */
export const loraAffinity: Scorer = (candidates, request, scores) => {
  const { adapter } = request;
  for (let i = 0; i < candidates.count; i++) {
    scores[i] = adapter === undefined ? NEUTRAL : affinity(adapter, candidates, i);
  }
};

function affinity(adapter: string, { adapters, adaptersInFlight, recentAdapters }: Candidates, row: number): number {
  const resident = adapters[row];
  const inFlight = adaptersInFlight[row]!;
  if (inFlight.has(adapter) || resident?.running.has(adapter)) return LOADED;
  if (isStillLoaded(adapter, recentAdapters[row]!, resident)) return LOADED;
  if (resident === undefined) return NEUTRAL;
  let taken = resident.distinct;
  for (const other of inFlight.keys()) {
    if (!resident.running.has(other) && !resident.waiting.has(other)) taken += 1;
  }
  if (taken < resident.slots) return FREE_SLOT;
  return resident.waiting.has(adapter) ? WAITING : 0;
}

/**
 * Engines list the adapters in use alone, but keep one loaded until its slot is needed, the least recently used first:
 * the latest that came there, one for each slot, are loaded. Where the slots are not told, there is at least one.
 */
function isStillLoaded(adapter: string, recent: ReadonlySet<string>, resident: AdapterResidency | undefined): boolean {
  if (!recent.has(adapter)) return false;
  const slots = resident?.slots ?? 1;
  if (resident !== undefined && resident.running.size >= slots) return false;
  let later = recent.size;
  for (const name of recent) {
    later -= 1;
    if (name === adapter) break;
  }
  return later < slots;
}
