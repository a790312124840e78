import type { ExplainedCandidate, Explanation } from '../../../runtime/endpoint-picker/scheduling/explanation';

export function explainedCandidate(number: number, change: Partial<ExplainedCandidate> = {}): ExplainedCandidate {
  return {
    pod: `models/llama-${number}`,
    address: `10.0.0.${number}:8000`,
    total: 3 - number,
    scores: { queue: 1, kvCache: 0.8 },
    matchedBlocks: 2,
    predictedTtftMs: 120,
    ...change,
  };
}

export function explanation(change: Partial<Explanation> = {}): Explanation {
  const candidates = change.candidates ?? [explainedCandidate(0), explainedCandidate(1)];
  return {
    candidates,
    moreCandidates: 0,
    leftOut: [],
    moreLeftOut: 0,
    weights: { queue: 2, kvCache: 1 },
    winner: candidates[0]!.pod,
    ...(candidates[1] !== undefined && { runnerUp: { pod: candidates[1].pod, by: 1 } }),
    promptBlocks: 8,
    ...change,
  };
}
