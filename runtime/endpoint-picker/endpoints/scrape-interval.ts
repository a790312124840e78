/**
 * Pages a second that the pods at work are read at most, all together, and the same for the idle ones: about half a
 * core. A pool of up to 400 pods at work keeps an interval of 200 ms; 1,000 are read each 500 ms.
 */
const MAX_PAGES_PER_SECOND = 2000;

/** A stretched interval changes in steps, not with each pod. Milliseconds. */
const STEP_MS = 50;

/** The interval for a number of pods that share it: the wanted one, or as much longer as the bound demands. */
export function stretched(wantedMs: number, pods: number): number {
  const neededMs = (pods * 1000) / MAX_PAGES_PER_SECOND;
  return neededMs <= wantedMs ? wantedMs : Math.ceil(neededMs / STEP_MS) * STEP_MS;
}
