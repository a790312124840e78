/** Exponential with mean 1. */
export function exponential(random: () => number): number {
  return -Math.log(1 - random());
}

/** Normal with mean 0 and deviation 1 (Box-Muller, both numbers of a pair used). */
export function createNormal(random: () => number): () => number {
  let spare: number | undefined;
  return () => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    const radius = Math.sqrt(2 * exponential(random));
    const angle = 2 * Math.PI * random();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

/** Lognormal with this mean and coefficient of variation. */
export function createLognormal(mean: number, cv: number, random: () => number): () => number {
  const variance = Math.log1p(cv * cv);
  const center = Math.log(mean) - variance / 2;
  const deviation = Math.sqrt(variance);
  const normal = createNormal(random);
  return () => Math.exp(center + deviation * normal());
}

/** Gamma with mean 1 and this coefficient of variation (Marsaglia and Tsang's method). */
export function createGamma(cv: number, random: () => number): () => number {
  const shape = 1 / (cv * cv);
  // Below shape 1 the method needs one more, and a power of a uniform number takes it back.
  const raised = shape < 1 ? shape + 1 : shape;
  const d = raised - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  const normal = createNormal(random);

  function draw(): number {
    for (;;) {
      const x = normal();
      const v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(1 - random()) < x * x * 0.5 + d * (1 - v + Math.log(v))) return d * v;
    }
  }
  return () => (draw() * (shape < 1 ? (1 - random()) ** (1 / shape) : 1)) / shape;
}

/** Indexes of `weights` in proportion to them. At least one weight, all above 0. */
export function createWeightedChoice(weights: readonly number[], random: () => number): () => number {
  const sums = new Float64Array(weights.length);
  let total = 0;
  weights.forEach((weight, index) => {
    total += weight;
    sums[index] = total;
  });
  return () => {
    const drawn = random() * total;
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle]! > drawn) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
