const FACTORS: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/** The number that a Kubernetes quantity stands for: `500m` is 0.5, `1Gi` is 1073741824. */
export function parseQuantity(quantity: string): number {
  const found = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(quantity);
  const factor = FACTORS[found?.[2] ?? ''];
  if (found === null || factor === undefined) throw new Error(`"${quantity}" is no quantity`);
  return Number(found[1]) * factor;
}
