import { NEUTRAL } from '../scorer';

/** Differences far below this are not felt. Seconds. */
const GRAIN_SECONDS = 0.05;

/**
 * Scores times, in seconds, relative to the candidates: the shortest gets 1, one twice as long about half, an endless one
 * 0. An unknown time gets the neutral score. `scores` may be `seconds` itself.
 */
export function scoreSoonestFirst(seconds: Float64Array, count: number, scores: Float64Array): void {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) if (seconds[i]! < least) least = seconds[i]!;
  for (let i = 0; i < count; i++) {
    const score = (least + GRAIN_SECONDS) / (seconds[i]! + GRAIN_SECONDS);
    scores[i] = Number.isNaN(score) ? NEUTRAL : score;
  }
}
