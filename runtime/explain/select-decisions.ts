import { observedTtft, type RecordedDecision } from './recorded-decision';

export interface Selection {
  /** Of this scheduler alone, `namespace/name`. */
  readonly scheduler?: string;
  /** The decision of this number; of each run where several wrote to the file. */
  readonly pick?: number;
  /** So many with the longest time to the first token, the longest first. */
  readonly slowest?: number;
}

/** Throws, naming the option, where nothing is left. */
export function selectDecisions(
  decisions: readonly RecordedDecision[],
  { scheduler, pick, slowest }: Selection,
): readonly RecordedDecision[] {
  const ofScheduler = decisions.filter((decision) => scheduler === undefined || decision.pick.scheduler === scheduler);
  if (scheduler !== undefined && ofScheduler.length === 0) {
    const names = [...new Set(decisions.map((decision) => decision.pick.scheduler))];
    throw new Error(`--scheduler: the recording has no decision of it; it has ${names.join(', ') || 'none at all'}`);
  }
  const numbered = ofScheduler.filter((decision) => pick === undefined || decision.pick.pick === pick);
  if (pick !== undefined && numbered.length === 0) throw new Error(`--pick: the recording has no decision ${pick}`);
  if (slowest === undefined) return numbered;
  const timed = numbered.filter((decision) => observedTtft(decision) !== undefined);
  if (timed.length === 0) throw new Error('--slowest: no first token was watched for in these decisions');
  return timed.sort((one, other) => observedTtft(other)! - observedTtft(one)!).slice(0, slowest);
}
