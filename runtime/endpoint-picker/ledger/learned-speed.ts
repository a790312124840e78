/**
 * How fast an endpoint is, learned from what it was busy with: the time of a piece of work is taken as
 *
 *   steps x (time of a decode step) + generated tokens x (what each sequence adds to a step)
 *     + uncached prompt tokens x (time of a prompt token) + starts x (time of the front end)
 *
 * and a Kalman filter follows the four times. What a piece of work does not tell of stays as it was: where nearly all
 * prompts are cached, the time of a prompt token is the one seen before. Times are kept as multiples of fixed reference
 * times, variances relative to them.
 */
export interface LearnedSpeed {
  /** What this endpoint's own work shows. */
  own: SpeedMultiples;
  /** Seconds of work seen. */
  work: number;
  /** It has shown a speed of its own. */
  shown: boolean;
  /** Clock of the last work, milliseconds. */
  at: number;
  /** Multiples of the reference times: step, sequence in a step, prompt token, front end. */
  readonly state: Float64Array;
  /** Covariance of the four, by rows. */
  readonly covariance: Float64Array;
  /** What decisions go by: that of the group of endpoints that are equally fast. */
  present: SpeedMultiples;
}

/** Multiples of the reference times. */
export interface SpeedMultiples {
  readonly step: number;
  readonly sequence: number;
  readonly prompt: number;
}

/** A piece of work that an endpoint did. */
export interface Work {
  /** Seconds that it took, nothing else going on. */
  readonly seconds: number;
  readonly steps: number;
  /** Tokens of answers: one a step for each sequence in the batch. */
  readonly generatedTokens: number;
  readonly promptTokens: number;
  /** Times that the endpoint got its first request after having none: its front end then worked alone. */
  readonly starts: number;
  /** How far the above is known and not guessed, above 0 up to 1; default 1, as counted. */
  readonly certainty?: number;
}

/** A mid-sized GPU: what an endpoint is taken for in a pool of which nothing is known. */
const REFERENCE_SECONDS = [0.02, 1e-4, 1 / 8000, 0.025] as const;

/** Each time may change by this part of itself in a second of work: a doubling is followed in some ten seconds. */
const DRIFT_PER_SECOND = [0.1, 0.1, 0.1, 0.02] as const;

/** Without evidence each time is known to this part of itself. */
const UNKNOWN = [1, 1, 1, 0.5] as const;

const TIMES = REFERENCE_SECONDS.length;

/** Parts of a piece's time by which it differs from the model, however well the times are known; and of one step. */
const NOISE = 0.1;
const STEP_NOISE = 0.5;

/** A piece of work that differs from what was expected by more than so many standard deviations counts as one that differs by so many. */
const MOST_DEVIATIONS = 3;

/** One piece of work never changes a time by more than this factor. */
const MOST_CHANGE = 2;

/** No time differs from its reference by more than this factor, and no piece of work is outside these times. Seconds. */
const MOST_MULTIPLE = 1000;
const LEAST_SECONDS = 1e-6;
const MOST_SECONDS = 1e6;

/** After so much work an endpoint has a speed of its own. Seconds. */
const OWN_WORK_SECONDS = 3;

export const UNKNOWN_POOL_SPEED: SpeedMultiples = { step: 1, sequence: 1, prompt: 1 };

/** An endpoint of which nothing is known; `pool`: what it is taken for. */
export function createLearnedSpeed(pool: SpeedMultiples): LearnedSpeed {
  const state = Float64Array.of(pool.step, pool.sequence, pool.prompt, 1);
  const covariance = new Float64Array(TIMES ** 2);
  for (let i = 0; i < TIMES; i++) covariance[(TIMES + 1) * i] = (UNKNOWN[i]! * state[i]!) ** 2;
  return { own: pool, work: 0, shown: false, at: 0, state, covariance, present: pool };
}

/** Folds in a piece of work that ended at `now` (milliseconds). Work that is none, or absurd, is left out. */
export function learnWork(speed: LearnedSpeed, work: Work, now: number): void {
  const { seconds, certainty = 1 } = work;
  const parts = [
    work.steps * REFERENCE_SECONDS[0],
    work.generatedTokens * REFERENCE_SECONDS[1],
    work.promptTokens * REFERENCE_SECONDS[2],
    work.starts * REFERENCE_SECONDS[3],
  ];
  if (!(seconds > LEAST_SECONDS && seconds < MOST_SECONDS)) return;
  if (!parts.every((part) => part >= 0 && part < MOST_SECONDS) || !parts.some((part) => part > 0)) return;
  // Time that nothing explains is no reason to believe the next piece of work more.
  const expected = parts.reduce((sum, part, i) => sum + part * speed.state[i]!, 0);
  drift(speed, Math.min(seconds, MOST_CHANGE * expected) * certainty);
  observe(speed, parts, seconds, certainty);
  speed.own = { step: speed.state[0]!, sequence: speed.state[1]!, prompt: speed.state[2]! };
  speed.work += seconds * certainty;
  speed.shown ||= speed.work >= OWN_WORK_SECONDS;
  speed.at = now;
}

/** Seconds of a decode step without what its sequences add. */
export function stepSeconds({ present }: LearnedSpeed): number {
  return present.step * REFERENCE_SECONDS[0];
}

/** Seconds that each sequence adds to a decode step. */
export function sequenceSeconds({ present }: LearnedSpeed): number {
  return present.sequence * REFERENCE_SECONDS[1];
}

/** Seconds of one uncached prompt token. */
export function promptTokenSeconds({ present }: LearnedSpeed): number {
  return present.prompt * REFERENCE_SECONDS[2];
}

/** Lets the times become uncertain again, up to what an unknown endpoint's are. */
function drift({ state, covariance }: LearnedSpeed, seconds: number): void {
  for (let i = 0; i < TIMES; i++) {
    const before = covariance[(TIMES + 1) * i]!;
    const most = (UNKNOWN[i]! * state[i]!) ** 2;
    const after = Math.min(Math.max(before, most), before + (DRIFT_PER_SECOND[i]! * state[i]!) ** 2 * seconds);
    covariance[(TIMES + 1) * i] = after;
  }
}

/** The filter's update by one observation: `parts` times the state is `seconds`. */
function observe(
  { state, covariance }: LearnedSpeed,
  parts: readonly number[],
  seconds: number,
  certainty: number,
): void {
  const spread = new Float64Array(TIMES);
  let expected = 0;
  let known = 0;
  for (let i = 0; i < TIMES; i++) {
    for (let j = 0; j < TIMES; j++) spread[i]! += covariance[TIMES * i + j]! * parts[j]!;
    expected += parts[i]! * state[i]!;
    known += parts[i]! * spread[i]!;
  }
  // Of what was expected, not of what came: else short pieces would be believed more than long ones.
  const noise = ((NOISE / certainty) * expected) ** 2 + (STEP_NOISE * REFERENCE_SECONDS[0] * state[0]!) ** 2;
  const variance = noise + Math.max(0, known);
  const most = MOST_DEVIATIONS * Math.sqrt(variance);
  const surprise = Math.min(most, Math.max(-most, seconds - expected));
  for (let i = 0; i < TIMES; i++) {
    const before = state[i]!;
    const after = before + (spread[i]! / variance) * surprise;
    const least = Math.max(before / MOST_CHANGE, 1 / MOST_MULTIPLE);
    state[i] = Math.min(before * MOST_CHANGE, MOST_MULTIPLE, Math.max(least, after));
    for (let j = 0; j < TIMES; j++) covariance[TIMES * i + j]! -= (spread[i]! * spread[j]!) / variance;
  }
}
