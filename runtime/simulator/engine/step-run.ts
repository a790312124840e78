/**
 * Steps with the same batch, one after the other: each is longer than the one before by the same amount, as every
 * sequence's KV grows by one token a step.
 */
export interface StepRun {
  /** When the first step begins. */
  start: number;
  /** Duration of the first step, and what each further one adds. Seconds. */
  first: number;
  growth: number;
  steps: number;
}

/** When step `count` of the run ends (1 is the first). */
export function boundary(run: StepRun, count: number): number {
  return run.start + count * run.first + (run.growth * count * (count - 1)) / 2;
}

/** The first step that ends at `time` or later, at least 1; not limited by the run's length. */
export function stepsUntil(run: StepRun, time: number): number {
  const span = time - run.start;
  if (span <= run.first) return 1;
  if (span === Number.POSITIVE_INFINITY) return span;
  const half = run.growth / 2;
  const linear = run.first - half;
  // Of growth/2 k^2 + linear k = span, in the form that is stable for a growth near 0.
  let count = Math.max(1, Math.ceil((2 * span) / (linear + Math.sqrt(linear * linear + 4 * half * span))));
  while (count > 1 && boundary(run, count - 1) >= time) count--;
  while (boundary(run, count) < time) count++;
  return count;
}

/** How many steps of the run have ended by `time`. */
export function stepsEnded(run: StepRun, time: number): number {
  let count = stepsUntil(run, time);
  while (boundary(run, count) <= time) count++;
  return count - 1;
}
