import type { EngineCounters } from '../../endpoint-picker/engine-metrics';
import type { Sequence } from './sequence';

/** The counters while they are counted. */
export type Totals = { -readonly [Name in keyof EngineCounters]: EngineCounters[Name] };

export function createTotals(): Totals {
  return {
    promptTokens: 0,
    cachedTokens: 0,
    generatedTokens: 0,
    steps: 0,
    firstTokenSum: 0,
    firstTokenCount: 0,
    interTokenSum: 0,
    interTokenCount: 0,
    queueSum: 0,
    prefillSum: 0,
    decodeSum: 0,
    finishedCount: 0,
  };
}

/** The prompt has been computed: with its first token, or at the end of prefill-only work. */
function countPrompt(totals: Totals, { promptTokens, cachedTokens }: Sequence): void {
  totals.promptTokens += promptTokens;
  totals.cachedTokens += cachedTokens;
}

export function countFirstToken(totals: Totals, sequence: Sequence, at: number): void {
  sequence.firstTokenAt = at;
  countPrompt(totals, sequence);
  totals.firstTokenSum += at - sequence.submittedAt;
  totals.firstTokenCount++;
}

export function countFinished(totals: Totals, sequence: Sequence, at: number): void {
  const { readyAt, admittedAt, firstTokenAt, generated } = sequence;
  if (generated === 0) countPrompt(totals, sequence);
  totals.queueSum += admittedAt - readyAt;
  totals.prefillSum += (generated === 0 ? at : firstTokenAt) - admittedAt;
  totals.decodeSum += generated === 0 ? 0 : at - firstTokenAt;
  totals.finishedCount++;
}
