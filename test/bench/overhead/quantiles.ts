/** The value below which the fraction `q` of the samples lies; NaN of none. Sorts `samples` in place. */
export function quantile(samples: number[] | Float64Array, q: number): number {
  samples.sort((a, b) => a - b);
  return samples[Math.min(samples.length - 1, Math.floor(q * samples.length))] ?? Number.NaN;
}

/** Median with the extremes, of the rounds of one run. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Rounds without the figure (undefined, NaN) are left out; undefined where no round has it. */
export function spread(values: ReadonlyArray<number | undefined>): Spread | undefined {
  const known = values.filter((value): value is number => value !== undefined && !Number.isNaN(value));
  if (known.length === 0) return undefined;
  return { median: quantile(known, 0.5), min: known[0]!, max: known.at(-1)! };
}
