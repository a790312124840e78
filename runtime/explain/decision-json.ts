import { observedTtft, predictedTtft, type RecordedDecision } from './recorded-decision';

/** One recorded decision as a line of JSON: what the recording says of it, and the times to its first token. */
export function decisionJson(decision: RecordedDecision): string {
  const { run, pick, end } = decision;
  const { prefix: _sealed, ...told } = pick;
  return `${JSON.stringify({
    run,
    ...told,
    predictedTtft: predictedTtft(decision),
    observedTtft: observedTtft(decision),
    status: end?.status,
    servedBy: end?.pod,
    endedAt: end?.at,
  })}\n`;
}
