import { type LearnedSpeed, type SpeedMultiples, UNKNOWN_POOL_SPEED } from './learned-speed';

/**
 * Speeds within this factor of each other are taken for the same: pods on the same hardware differ less than a fit is
 * exact, and a router that believes such differences sends everything to whoever looks fastest.
 */
const SAME_SPEED_FACTOR = 1.35;

/** The same of what a sequence adds to a step, which depends on how long its context is. */
const SAME_SEQUENCE_FACTOR = 2.5;

/** A speed that was not seen at work for so long has lost about two thirds of its difference to the pool's. Milliseconds. */
const MEMORY_MS = 300_000;

/**
 * Gives every endpoint of a pool the speed that decisions go by: the mean of its group of equally fast ones, or the
 * pool's where it has not shown one. Returns the pool's: the median of those shown. One that gets no work drifts to the
 * pool's, so that it is tried again some time. `now`: clock, milliseconds.
 */
export function groupSpeeds(speeds: readonly LearnedSpeed[], now: number): SpeedMultiples {
  const shown = speeds.filter(({ shown }) => shown);
  const steps = groupMeans(
    shown.map(({ own }) => own.step),
    SAME_SPEED_FACTOR,
  );
  const sequences = groupMeans(
    shown.map(({ own }) => own.sequence),
    SAME_SEQUENCE_FACTOR,
  );
  const prompts = groupMeans(
    shown.map(({ own }) => own.prompt),
    SAME_SPEED_FACTOR,
  );
  const pool =
    shown.length === 0
      ? UNKNOWN_POOL_SPEED
      : { step: median(steps), sequence: median(sequences), prompt: median(prompts) };
  for (const speed of speeds) speed.present = pool;
  for (const [i, speed] of shown.entries()) {
    const keep = Math.exp(-Math.max(0, now - speed.at) / MEMORY_MS);
    const kept = (own: number, others: number) => others * (own / others) ** keep;
    speed.present = {
      step: kept(steps[i]!, pool.step),
      sequence: kept(sequences[i]!, pool.sequence),
      prompt: kept(prompts[i]!, pool.prompt),
    };
  }
  return pool;
}

/** For each value the geometric mean of its group. A group is as many of the sorted values as lie within the factor. */
function groupMeans(values: readonly number[], factor: number): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const means = new Array<number>(values.length);
  let from = 0;
  while (from < order.length) {
    let to = from;
    let logs = 0;
    while (to < order.length && values[order[to]!]! <= values[order[from]!]! * factor) {
      logs += Math.log(values[order[to]!]!);
      to += 1;
    }
    const mean = Math.exp(logs / (to - from));
    for (let i = from; i < to; i++) means[order[i]!] = mean;
    from = to;
  }
  return means;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
