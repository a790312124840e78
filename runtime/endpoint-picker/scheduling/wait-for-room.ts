import type { Candidates } from './candidates';
import { uncachedTokens } from './request-size';
import type { ScoredRequest } from './scorer';

/** From this use on a KV cache in front of which requests wait is full: room comes and goes with each of them. 0..1. */
const FULL = 0.9;

/**
 * Adds to `startMs` what waiting for a place in batch and KV cache costs. Where requests wait for one, and not only for the
 * prompts ahead, it is the time in which those that wait will have started, by the pace at which others did, where that
 * is known; an engine that does not tell its KV cache is taken to be full when requests wait. And a place that is taken
 * in a cache that is nearly full is one that others wait for: the rest of a prompt that another endpoint holds already
 * is expensive there.
 */
export function waitForRoom(candidates: Candidates, request: ScoredRequest): void {
  const { count, startMs, matchedBlocks, queueMs, kvUsage, kvFreeTokens, kvTokenSeconds } = candidates;
  for (let i = 0; i < count; i++) {
    const uncached = uncachedTokens(request, matchedBlocks[i]!);
    const byPace = queueMs[i]!;
    const hasRoom = kvUsage[i]! < FULL && kvFreeTokens[i]! >= uncached;
    if (!hasRoom && byPace > startMs[i]!) startMs[i] = byPace;
    startMs[i]! += (uncached + request.outputTokens) * kvTokenSeconds[i]! * 1000;
  }
}
