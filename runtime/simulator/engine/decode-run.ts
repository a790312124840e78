import type { SchedulerState } from './schedule-step';
import { growSequence } from './sequence';
import { boundary, type StepRun } from './step-run';
import type { Totals } from './totals';
import { BLOCK_TOKENS } from './types';

/** Sequences by how many steps from now on they need another block; one scratch for all engines. */
const needAfter = new Int32Array(BLOCK_TOKENS);

/**
 * How many times the step just planned can be repeated before the batch or the queue could change by itself: at most
 * until a sequence ends, the KV cache is full, or a waiting request could find a block that a running one completes.
 * 1 unless the step is one token for each running sequence.
 */
export function longestRun({ plan, running, waiting, pool }: SchedulerState): number {
  if (plan.prefillTokens > 0 || plan.preempted.length > 0 || plan.sequences < running.length) return 1;
  let steps = Number.POSITIVE_INFINITY;
  needAfter.fill(0);
  for (let index = 0; index < running.length; index++) {
    const { blocks, computed, outputTokens, generated, blockIds } = running[index]!;
    steps = Math.min(steps, outputTokens - generated);
    const places = blocks.length * BLOCK_TOKENS - computed;
    needAfter[places & (BLOCK_TOKENS - 1)]!++;
    if (waiting.length > 0 && blockIds.length * BLOCK_TOKENS > computed) {
      // It becomes findable when the step that fills it is planned.
      steps = Math.min(steps, places === 1 ? BLOCK_TOKENS : places - 1);
    }
  }
  return Math.min(steps, stepsUntilFull(running.length, pool.freeCount()));
}

/** Each sequence takes a block every 16 steps, the first after `needAfter` steps (0 stands for 16). */
function stepsUntilFull(sequences: number, freeBlocks: number): number {
  const rounds = Math.floor(freeBlocks / sequences);
  let left = freeBlocks - rounds * sequences;
  let step = 0;
  while (left >= 0) {
    step++;
    left -= needAfter[step & (BLOCK_TOKENS - 1)]!;
  }
  return rounds * BLOCK_TOKENS + step;
}

/** Does the first `steps` steps of a run, fewer than it has; the rest of the run remains, its end unchanged. */
export function settleRun(run: StepRun, steps: number, state: SchedulerState, totals: Totals): void {
  if (steps === 0) return;
  const { running } = state;
  const at = boundary(run, steps);
  for (let index = 0; index < running.length; index++) {
    const sequence = running[index]!;
    growSequence(sequence, steps + 1, state);
    sequence.computed += steps;
    sequence.scheduled = 1;
    sequence.generated += steps;
    totals.interTokenSum += at - sequence.lastTokenAt;
    sequence.lastTokenAt = at;
  }
  totals.steps += steps;
  totals.generatedTokens += steps * running.length;
  totals.interTokenCount += steps * running.length;
  run.start = at;
  run.first += steps * run.growth;
  run.steps -= steps;
}
