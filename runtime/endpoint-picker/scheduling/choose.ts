import type { Candidates } from './candidates';

/** Totals closer than this are equal: sums of the same scores in floating point. */
const EPSILON = 1e-9;

/**
 * Writes the rows of the best candidates into `chosen`, best first, and returns how many there are: as many as
 * `chosen` holds, or all. Among equal totals the one with fewest requests in flight comes first, then the one with the
 * least work in tokens, then chance.
 */
export function choose(totals: Float64Array, candidates: Candidates, random: () => number, chosen: Int32Array): number {
  const places = Math.min(chosen.length, candidates.count);
  for (let place = 0; place < places; place++) {
    chosen[place] = best(totals, candidates, random, chosen, place);
  }
  return places;
}

function best(
  totals: Float64Array,
  candidates: Candidates,
  random: () => number,
  chosen: Int32Array,
  taken: number,
): number {
  let winner = -1;
  let ties = 1;
  for (let row = 0; row < candidates.count; row++) {
    if (isTaken(chosen, taken, row)) continue;
    const order = winner < 0 ? 1 : compare(totals, candidates, row, winner);
    if (order > 0) {
      winner = row;
      ties = 1;
    } else if (order === 0) {
      ties += 1;
      // The n-th equal one replaces the winner with chance 1/n: each is equally likely in the end.
      if (random() * ties < 1) winner = row;
    }
  }
  return winner;
}

/** Above 0 when row `a` comes before row `b`. */
function compare(totals: Float64Array, candidates: Candidates, a: number, b: number): number {
  const difference = totals[a]! - totals[b]!;
  if (difference > EPSILON) return 1;
  if (difference < -EPSILON) return -1;
  return candidates.inFlight[b]! - candidates.inFlight[a]! || candidates.workTokens[b]! - candidates.workTokens[a]!;
}

function isTaken(chosen: Int32Array, taken: number, row: number): boolean {
  for (let i = 0; i < taken; i++) if (chosen[i] === row) return true;
  return false;
}
