/** A mean over seeds and the half-width of its 95 % interval. */
export interface Estimate {
  /** Null when there is no value, or one of them is missing: a mean of what is left would flatter. */
  readonly mean: number | null;
  /** Null with fewer than two values: one says nothing of the spread. */
  readonly halfWidth: number | null;
}

/** Mean of `values` with a Student t interval. */
export function estimate(values: readonly (number | null)[]): Estimate {
  const known = values.filter((value) => value !== null);
  if (known.length === 0 || known.length < values.length) return { mean: null, halfWidth: null };
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  if (known.length === 1) return { mean, halfWidth: null };
  const variance = known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (known.length - 1);
  return { mean, halfWidth: studentT95(known.length - 1) * Math.sqrt(variance / known.length) };
}

/** The t beyond which 2.5 % of Student's distribution with `degrees` (a whole number from 1) of freedom lie. */
export function studentT95(degrees: number): number {
  let low = 0;
  let high = Math.PI / 2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (centralShare(middle, degrees) < 0.95) low = middle;
    else high = middle;
  }
  return Math.sqrt(degrees) * Math.tan(low);
}

/** The share of Student's distribution between -t and t, where `angle` is atan(t / √degrees) (Abramowitz and Stegun 26.7.3-4). */
function centralShare(angle: number, degrees: number): number {
  const cosine = Math.cos(angle);
  const odd = degrees % 2 === 1;
  let term = odd ? cosine : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let k = odd ? 3 : 2; k <= degrees - 2; k += 2) {
    term *= (cosine * cosine * (k - 1)) / k;
    sum += term;
  }
  return odd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}
