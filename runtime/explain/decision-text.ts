import type { RecordedExplanation } from '../recording/recorded-explanation';
import { observedTtft, predictedTtft, type RecordedDecision, ttftRatio } from './recorded-decision';

/** Gives text a look on a terminal; each function may return its text as it is. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
}

const NO_EXPLANATION = 'Its candidates were not recorded: one decision in 16 is, and those whose client asks.';

/** One recorded decision for a person. Ends with a line feed. */
export function decisionText(decision: RecordedDecision, paint: Paint): string {
  const { pick, run } = decision;
  const title = `pick ${pick.pick}${run > 1 ? ` of run ${run}` : ''}`;
  const lines = [
    `${paint.bold(title)}  ${pick.scheduler} at ${pick.at.toFixed(3)} s · ${requestText(decision)}`,
    ...outcomeLines(decision),
    ...(pick.explanation === undefined ? notExplained(decision) : explanationLines(pick.explanation, paint)),
    '',
  ];
  return lines.join('\n');
}

function requestText({ pick }: RecordedDecision): string {
  const parts = [`${pick.promptBytes} bytes of prompt`];
  if (pick.adapter !== undefined) parts.push(`adapter ${pick.adapter}`);
  if (pick.maxOutputTokens !== undefined) parts.push(`at most ${pick.maxOutputTokens} tokens`);
  return parts.join(', ');
}

function outcomeLines(decision: RecordedDecision): string[] {
  const { pick, end } = decision;
  const held = pick.explanation?.held;
  const waited = held?.seconds ?? pick.waited;
  const wait = waited === undefined ? '' : ` after ${time(waited)}${held === undefined ? '' : ` in band ${held.band}`}`;
  if (pick.outcome !== 'picked') return [`refused: ${pick.outcome}${wait}`];
  const served = end?.pod === undefined ? '' : `, served by ${end.pod}`;
  const status = end === undefined ? 'its end was not recorded' : `status ${end.status ?? 'none: no response'}`;
  return [`picked ${pick.pod ?? '?'}${wait}${served}, ${status}`, ttftText(decision)];
}

function ttftText(decision: RecordedDecision): string {
  const predicted = predictedTtft(decision);
  const observed = observedTtft(decision);
  const ratio = ttftRatio(decision);
  // What was predicted is a time of the pod that was picked.
  const there = decision.end?.pod === undefined ? '' : ` of ${decision.pick.pod ?? '?'}`;
  const left = predicted === undefined ? 'not predicted' : `predicted ${time(predicted)}${there}`;
  if (observed === undefined) return `first token: ${left}, not watched for`;
  return `first token: ${left}, observed ${time(observed)}${ratio === undefined ? '' : `: ratio ${ratio.toFixed(2)}`}`;
}

function notExplained({ pick }: RecordedDecision): string[] {
  if (pick.outcome !== 'picked') return [];
  const matched = pick.matched === undefined ? [] : [`cached blocks of the prompt there: ${pick.matched}`];
  return [...matched, NO_EXPLANATION];
}

function explanationLines(explanation: RecordedExplanation, paint: Paint): string[] {
  const { candidates, weights, promptBlocks, leftOut = [], moreCandidates = 0, moreLeftOut = 0 } = explanation;
  const scorers = Object.keys(weights);
  const [head, ...rows] = aligned([
    ['pod', 'total', ...scorers.map((name) => `${name} x${weights[name]}`), 'cached', 'predicted'],
    ...candidates.map(({ pod, total, scores, matched, predicted }) => [
      pod,
      total.toFixed(2),
      ...scorers.map((name) => scores[name]?.toFixed(2) ?? '-'),
      `${matched}/${promptBlocks}`,
      predicted === undefined ? '-' : time(predicted),
    ]),
  ]);
  return [
    paint.dim(head!),
    paint.bold(rows[0]!),
    ...rows.slice(1),
    ...(moreCandidates > 0 ? [`and ${moreCandidates} more candidates`] : []),
    marginText(explanation),
    ...(leftOut.length > 0 ? [`left out: ${leftOutText(leftOut, moreLeftOut)}`] : []),
  ];
}

function marginText({ candidates: [winner, second] }: RecordedExplanation): string {
  if (second === undefined) return `${winner!.pod} was the only candidate`;
  const by = winner!.total - second.total;
  const margin = by > 0 ? ` by ${by.toFixed(2)}` : ': as good, so the less busy one, or chance';
  return `${winner!.pod} before ${second.pod}${margin}`;
}

function leftOutText(leftOut: NonNullable<RecordedExplanation['leftOut']>, more: number): string {
  const named = leftOut.map(({ pod, reason }) => `${pod} (${reason})`).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}

/** Lines of columns: the first flush left, the others right. */
function aligned(cells: ReadonlyArray<readonly string[]>): string[] {
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  return cells.map((line) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
  );
}

function time(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(2)} s`;
}
