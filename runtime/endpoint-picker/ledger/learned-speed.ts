/**
 * How fast an endpoint is, learned from what it was busy with: the time of a piece of work is taken as
 *
 *   steps x (time of a decode step) + uncached prompt tokens x (time of a prompt token) + starts x (time of the front end)
 *
 * and the three times are fitted by least squares, old work fading. They are kept as multiples of fixed reference times,
 * so that a fit that lacks evidence in one direction stays near the pool's ratio of them.
 */
export interface LearnedSpeed {
  /** Multiples of the reference times: the fit. */
  own: SpeedMultiples;
  /** Seconds of work behind the fit, faded. */
  evidence: number;
  /** It has shown a speed of its own. */
  shown: boolean;
  /** Clock of the last work, milliseconds. */
  at: number;
  /** The normal equations, faded: upper triangle of the matrix by rows, then the right side. Seconds. */
  readonly sums: Float64Array;
  /** What decisions go by: that of the group of endpoints that are equally fast. */
  present: SpeedMultiples;
}

/** Multiples of the reference times. */
export interface SpeedMultiples {
  readonly step: number;
  readonly prompt: number;
}

/** A piece of work that an endpoint did. */
export interface Work {
  /** Seconds that it took, nothing else going on. */
  readonly seconds: number;
  readonly steps: number;
  readonly promptTokens: number;
  /** Times that the endpoint got its first request after having none: its front end then worked alone. */
  readonly starts: number;
}

/** What an endpoint of unknown speed is taken for in a pool of which nothing is known: a mid-sized GPU. */
const REFERENCE_STEP_SECONDS = 0.02;
const REFERENCE_PROMPT_TOKEN_SECONDS = 1 / 8000;
const REFERENCE_START_SECONDS = 0.025;

/** After so much further work, an observation has lost about two thirds of its weight. Seconds of work. */
const MEMORY_WORK_SECONDS = 8;

/** The pool's speed counts like this much work of the endpoint itself. Seconds. */
const PRIOR_WORK_SECONDS = 0.002;

/** Work that took this many times longer or shorter than expected is taken as this many. */
const MAX_SURPRISE = 4;

/** From this much evidence on an endpoint has a speed of its own. Seconds of work. */
const OWN_EVIDENCE_SECONDS = 3;

/** No engine is so much slower or faster than the reference. */
const LEAST = 1e-3;
const MOST = 1e3;

export const UNKNOWN_POOL_SPEED: SpeedMultiples = { step: 1, prompt: 1 };

export function createLearnedSpeed(pool: SpeedMultiples): LearnedSpeed {
  return { own: pool, evidence: 0, shown: false, at: 0, sums: new Float64Array(9), present: pool };
}

/** Folds in a piece of work that ended at `now` (milliseconds). Work that is no work, or no number, is left out. */
export function learnWork(speed: LearnedSpeed, work: Work, pool: SpeedMultiples, now: number): void {
  const x = work.steps * REFERENCE_STEP_SECONDS;
  const y = work.promptTokens * REFERENCE_PROMPT_TOKEN_SECONDS;
  const z = work.starts * REFERENCE_START_SECONDS;
  if (!(work.seconds > 0) || !(x + y > 0) || !(z >= 0)) return;
  fade(speed, work.seconds);
  speed.at = now;
  const seconds = credible(speed, work.seconds, x * speed.own.step + y * speed.own.prompt + z);
  const { sums } = speed;
  // Divided by the time: longer pieces are more exact in proportion to their length.
  sums[0]! += (x * x) / seconds;
  sums[1]! += (x * y) / seconds;
  sums[2]! += (x * z) / seconds;
  sums[3]! += (y * y) / seconds;
  sums[4]! += (y * z) / seconds;
  sums[5]! += (z * z) / seconds;
  sums[6]! += x;
  sums[7]! += y;
  sums[8]! += z;
  speed.evidence += work.seconds;
  if (speed.evidence >= OWN_EVIDENCE_SECONDS) speed.shown = true;
  speed.own = fit(sums, pool, speed.own);
}

/** Seconds of one decode step. */
export function stepSeconds({ present }: LearnedSpeed): number {
  return present.step * REFERENCE_STEP_SECONDS;
}

/** Seconds of one uncached prompt token. */
export function promptTokenSeconds({ present }: LearnedSpeed): number {
  return present.prompt * REFERENCE_PROMPT_TOKEN_SECONDS;
}

function credible(speed: LearnedSpeed, seconds: number, expected: number): number {
  if (!speed.shown) return seconds;
  return Math.min(Math.max(seconds, expected / MAX_SURPRISE), expected * MAX_SURPRISE);
}

function fade(speed: LearnedSpeed, workSeconds: number): void {
  const keep = Math.exp(-workSeconds / MEMORY_WORK_SECONDS);
  speed.evidence *= keep;
  for (let i = 0; i < speed.sums.length; i++) speed.sums[i]! *= keep;
}

/** Solves the normal equations, drawn towards the pool's speed where the work does not tell. */
function fit(sums: Float64Array, pool: SpeedMultiples, own: SpeedMultiples): SpeedMultiples {
  // As much work as the endpoint does in that time, at the speed it is taken for so far.
  const drawStep = PRIOR_WORK_SECONDS / own.step ** 2;
  const drawPrompt = PRIOR_WORK_SECONDS / own.prompt ** 2;
  const a = sums[0]! + drawStep;
  const b = sums[1]!;
  const c = sums[2]!;
  const d = sums[3]! + drawPrompt;
  const e = sums[4]!;
  const f = sums[5]! + PRIOR_WORK_SECONDS;
  const p = sums[6]! + drawStep * pool.step;
  const q = sums[7]! + drawPrompt * pool.prompt;
  const r = sums[8]! + PRIOR_WORK_SECONDS;
  // Cramer's rule; with the prior added the matrix is positive definite.
  const determinant = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d);
  const step = (p * (d * f - e * e) - b * (q * f - r * e) + c * (q * e - r * d)) / determinant;
  const prompt = (a * (q * f - r * e) - p * (b * f - c * e) + c * (b * r - c * q)) / determinant;
  return { step: within(step, pool.step), prompt: within(prompt, pool.prompt) };
}

function within(value: number, otherwise: number): number {
  return Number.isNaN(value) ? otherwise : Math.min(MOST, Math.max(LEAST, value));
}
