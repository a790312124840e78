import type { CompleteWeights } from '../../../lib/api/inference-gateway-config/scorer-weights';

export type WeightName = keyof CompleteWeights;

export interface SearchOptions {
  readonly start: CompleteWeights;
  /** Weights that may change; at least one. */
  readonly names: readonly WeightName[];
  /** What weights are worth, lower is better. */
  readonly evaluate: (weights: CompleteWeights) => number;
  /** Evaluations at most, that of the start included. */
  readonly trials: number;
  readonly random: () => number;
}

/** Told after each evaluation. */
export interface SearchProgress {
  readonly trial: number;
  readonly best: CompleteWeights;
}

/** Values that are tried: weights count only relative to each other, and finer steps make no difference. */
const LADDER = [0, 1, 2, 3, 4, 6, 8, 12];
/** A gain below this share is taken for chance. */
const LEAST_GAIN = 0.005;

/**
 * Coordinate descent: goes through the weights in random order, moves each up and down the ladder, keeps what is better,
 * and ends when none is or after `trials`. The last that it gives holds the best weights found.
 */
export function* searchWeights({ start, names, evaluate, trials, random }: SearchOptions): Generator<SearchProgress> {
  const tried = new Set<string>();
  let best = start;
  let value = Number.POSITIVE_INFINITY;
  let trial = 0;

  /** Whether it is the best now; undefined where it was tried before, or there is nothing to pick by. */
  function consider(weights: CompleteWeights): boolean | undefined {
    const key = JSON.stringify(weights);
    if (tried.has(key) || Object.values(weights).every((weight) => weight === 0)) return undefined;
    tried.add(key);
    trial += 1;
    const found = evaluate(weights);
    if (trial > 1 && found > value - LEAST_GAIN) return false;
    best = weights;
    value = found;
    return true;
  }

  consider(start);
  yield { trial, best };
  for (let improved = true; improved; ) {
    improved = false;
    for (const name of shuffled(names, random)) {
      for (const direction of [1, -1]) {
        for (let better = true; better; ) {
          const next = step(best[name], direction);
          if (trial >= trials || next === undefined) break;
          const verdict = consider({ ...best, [name]: next });
          better = verdict === true;
          improved ||= better;
          if (verdict !== undefined) yield { trial, best };
        }
      }
    }
  }
}

/** The next value of the ladder above (1) or below (-1); undefined at its end. */
function step(weight: number, direction: number): number | undefined {
  return direction > 0 ? LADDER.find((value) => value > weight) : LADDER.findLast((value) => value < weight);
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}
