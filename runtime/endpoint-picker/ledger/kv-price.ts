/** Below this use of the KV cache there is room for all. 0..1. */
const AMPLE = 0.7;

/**
 * What a token more in an endpoint's KV cache costs, in seconds: where the cache is full, a request waits until others
 * have ended and given as many back. They give back what each of those running holds, at the rate at which requests end;
 * the price sets in as the cache fills. 0 where it is not known.
 */
export function kvTokenSeconds(usage: number, running: number, capacityTokens: number, endsPerSecond: number): number {
  const pressure = Math.min(1, Math.max(0, (usage - AMPLE) / (1 - AMPLE)));
  const freedPerSecond = (usage * capacityTokens * endsPerSecond) / running;
  return pressure > 0 && freedPerSecond > 0 && freedPerSecond < Number.POSITIVE_INFINITY
    ? pressure ** 2 / Math.max(0.03, 1.03 - usage) / freedPerSecond
    : 0;
}
