import type { Candidates } from './candidates';

/** Totals this close to the best one, as a share of it, count as equal to it. */
const TOLERANCE = 0.02;

/**
 * Writes the rows of the best candidates into `chosen`, best first, and returns how many there are: as many as
 * `chosen` holds, or all. Among those that are as good as the best, the one with fewest requests in flight comes first,
 * then the one with the least work in tokens, then the one that was picked longest ago, then chance.
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
  let highest = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < candidates.count; row++) {
    if (totals[row]! > highest && !isTaken(chosen, taken, row)) highest = totals[row]!;
  }
  const enough = highest - Math.abs(highest) * TOLERANCE;
  let winner = -1;
  let ties = 1;
  for (let row = 0; row < candidates.count; row++) {
    if (totals[row]! < enough || isTaken(chosen, taken, row)) continue;
    const order = winner < 0 ? 1 : compare(candidates, row, winner);
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
function compare({ inFlight, workTokens, lastPick }: Candidates, a: number, b: number): number {
  return inFlight[b]! - inFlight[a]! || workTokens[b]! - workTokens[a]! || lastPick[b]! - lastPick[a]!;
}

function isTaken(chosen: Int32Array, taken: number, row: number): boolean {
  for (let i = 0; i < taken; i++) if (chosen[i] === row) return true;
  return false;
}
