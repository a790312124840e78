import type { AdapterResidency } from '../../engine-metrics';
import { NEUTRAL, type Scorer } from '../scorer';

/** The adapter is in the batch, or on its way by the ledger. */
const ACTIVE = 1;
const FREE_SLOT = 0.8;
/** The adapter is queued for, and every slot is taken. */
const WAITING = 0.6;

/** Where the request's LoRA adapter is loaded, else where it fits. A request for the base model is neutral. */
export const loraAffinity: Scorer = (candidates, request, scores) => {
  const adapter = request.adapter;
  for (let i = 0; i < candidates.count; i++) {
    scores[i] =
      adapter === undefined ? NEUTRAL : affinity(adapter, candidates.adapters[i], candidates.adaptersInFlight[i]!);
  }
};

function affinity(adapter: string, resident: AdapterResidency | undefined, inFlight: ReadonlyMap<string, number>) {
  if (inFlight.has(adapter) || resident?.running.has(adapter)) return ACTIVE;
  if (resident === undefined) return NEUTRAL;
  let taken = resident.distinct;
  for (const other of inFlight.keys()) {
    if (!resident.running.has(other) && !resident.waiting.has(other)) taken += 1;
  }
  if (taken < resident.slots) return FREE_SLOT;
  return resident.waiting.has(adapter) ? WAITING : 0;
}
