import { ADAPTER_LOAD_SECONDS } from './adapter-wait';
import type { Candidates } from './candidates';
import { uncachedTokens } from './request-size';
import type { ScoredRequest } from './scorer';

/**
 * Milliseconds until the first token of `request` at the candidate in `row`: the wait for those ahead, the uncached rest
 * of its prompt, one step of the batch with it, and the load of its adapter. It is made of the same columns as the
 * `predictedLatency` score, after `waitForRoom`, but without the prices that the score puts on what others lose. NaN: not
 * known.
 */
export function predictedTtftMs(candidates: Candidates, request: ScoredRequest, row: number): number {
  const { startMs, matchedBlocks, kvTokenSeconds, tokenSeconds, stepSeconds, sequenceSeconds, inFlight } = candidates;
  const uncached = uncachedTokens(request, matchedBlocks[row]!);
  const priceOfRoom = (uncached + request.outputTokens) * kvTokenSeconds[row]!;
  const prompt = uncached * tokenSeconds[row]!;
  const step = stepSeconds[row]! + sequenceSeconds[row]! * (inFlight[row]! + 1);
  const adapter = Math.min(candidates.adapterSeconds[row]!, ADAPTER_LOAD_SECONDS);
  return Math.max(0, startMs[row]! + (prompt + step + adapter - priceOfRoom) * 1000);
}
