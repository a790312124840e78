import { recordedDecisions } from '../../../runtime/explain/recorded-decision';
import { encodeLine, type PickLine, type RecordingLine } from '../../../runtime/recording/recording-line';

const HEADER: RecordingLine = { recording: 1, gateway: 'ns/gw', created: '2026-01-01T00:00:00.000Z' };

export function pickLine(pick: number, change: Partial<PickLine> = {}): PickLine {
  return { pick, at: pick / 10, scheduler: 'ns/a', promptBytes: 4000, outcome: 'picked', pod: 'p1', ...change };
}

export const EXPLAINED: NonNullable<PickLine['explanation']> = {
  weights: { queue: 2, prefix: 1 },
  candidates: [
    { pod: 'p1', total: 2.4, scores: { queue: 1, prefix: 0.4 }, matched: 6, predicted: 0.12 },
    { pod: 'p2', total: 1.5, scores: { queue: 0.75, prefix: 0 }, matched: 0, predicted: 1.5 },
  ],
  leftOut: [{ pod: 'p3', reason: 'stale' }],
  promptBlocks: 15,
};

/** The decisions of a recording with these lines after its header. */
export function decisionsOf(...lines: RecordingLine[]) {
  return recordedDecisions([HEADER, ...lines].map((line) => encodeLine(line).trimEnd()));
}
