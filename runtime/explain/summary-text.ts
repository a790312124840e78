import { type RecordedDecision, ttftRatio } from './recorded-decision';

/** What a recording holds, in a line for each scheduler. Ends with a line feed. */
export function summaryText(decisions: readonly RecordedDecision[]): string {
  const bySchedulers = Map.groupBy(decisions, ({ pick }) => pick.scheduler);
  const lines = [...bySchedulers].map(([scheduler, ofIt]) => `${scheduler}: ${schedulerText(ofIt)}`);
  return `${lines.join('\n') || 'The recording has no decision.'}\n`;
}

function schedulerText(decisions: readonly RecordedDecision[]): string {
  const refused = decisions.filter(({ pick }) => pick.outcome !== 'picked').length;
  const explained = decisions.filter(({ pick }) => pick.explanation !== undefined).length;
  const ratios = decisions.flatMap((decision) => ttftRatio(decision) ?? []).sort((one, other) => one - other);
  const median = ratios[ratios.length >> 1];
  const accuracy =
    median === undefined
      ? 'no prediction can be compared'
      : `predicted / observed time to first token: median ${median.toFixed(2)} of ${ratios.length}`;
  return `${decisions.length} decisions, ${refused} refused, ${explained} with their candidates; ${accuracy}`;
}
