import { readRecordingLines } from '../recording/read-lines';
import type { EndLine, PickLine } from '../recording/recording-line';

/** A decision of a recording, with the end of its request where that was recorded. */
export interface RecordedDecision {
  /** Which of the routers that wrote to the file, from 1; numbers of picks, pods and adapters begin anew with each. */
  readonly run: number;
  readonly pick: PickLine;
  end?: EndLine;
}

/** The decisions of a recording in its order. Throws where it is none, or with the number of a line that cannot be read. */
export function recordedDecisions(lines: Iterable<string>): RecordedDecision[] {
  const decisions: RecordedDecision[] = [];
  let open = new Map<number, RecordedDecision>();
  let run = 0;
  for (const line of readRecordingLines(lines)) {
    if ('recording' in line) {
      run += 1;
      open = new Map();
    } else if ('pick' in line) {
      const decision: RecordedDecision = { run, pick: line };
      decisions.push(decision);
      open.set(line.pick, decision);
    } else if ('end' in line) {
      const decision = open.get(line.end);
      if (decision !== undefined) decision.end = line;
      open.delete(line.end);
    }
  }
  if (run === 0) throw new Error('holds no recording');
  return decisions;
}

/** Seconds from the decision to the first token, where it was watched for. */
export function observedTtft({ pick, end }: RecordedDecision): number | undefined {
  return end?.firstToken === undefined ? undefined : Math.max(0, end.firstToken - (pick.waited ?? 0));
}

/**
 * The predicted time to the first token divided by the observed one. Undefined where one of them is not known, or where
 * another pod served than the one that the prediction was for.
 */
export function ttftRatio(decision: RecordedDecision): number | undefined {
  const predicted = predictedTtft(decision);
  const observed = observedTtft(decision);
  if (predicted === undefined || !observed || decision.end?.pod !== undefined) return undefined;
  return predicted / observed;
}

/** Seconds from the decision to the first token, as it was expected then of the pod that was picked. */
export function predictedTtft({ pick, end }: RecordedDecision): number | undefined {
  return pick.explanation?.candidates[0]?.predicted ?? end?.predicted;
}
