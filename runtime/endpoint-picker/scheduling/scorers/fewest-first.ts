import { NEUTRAL } from '../scorer';

/**
 * Scores a column in which less is better, relative to the candidates: the lowest gets 1, the highest 0, all equal get
 * 1. An unknown value gets the neutral score, an infinite one 0.
 */
export function scoreFewestFirst(values: Float64Array, count: number, scores: Float64Array): void {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    if (value < lowest) lowest = value;
    if (value > highest && value !== Number.POSITIVE_INFINITY) highest = value;
  }
  const range = highest - lowest;
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) scores[i] = NEUTRAL;
    else if (value === Number.POSITIVE_INFINITY) scores[i] = 0;
    else scores[i] = range > 0 ? (highest - value) / range : 1;
  }
}
