import type { EngineEvent } from '../engine/types';
import type { RunResult } from './run-result';
import type { LiveRequest } from './simulated-pod';

/** Collects what becomes of a run's requests. Times are seconds of the virtual clock. */
export interface Outcome {
  arrived(at: number): void;
  refused(at: number): void;
  failed(at: number): void;
  sentTo(pod: number): void;
  /** `end`: the engine's own, since it may have cut the answer off at its context length. */
  finished(live: LiveRequest, end: AnswerEnd): void;
  result(preemptions: number): RunResult;
}

type AnswerEnd = Pick<Extract<EngineEvent, { type: 'finished' }>, 'at' | 'generatedTokens' | 'cachedTokens'>;

export function createOutcome(pods: number, warmupSeconds: number, firstTokenLimitSeconds: number): Outcome {
  const firstTokens = growingColumn();
  const requestsByPod = new Array<number>(pods).fill(0);
  let requests = 0;
  let refused = 0;
  let errors = 0;
  let good = 0;
  let firstArrival = Number.NaN;
  let lastArrival = 0;
  let lastEnd = 0;
  let outputTokens = 0;
  let tokenIntervals = 0;
  let tokenIntervalSeconds = 0;
  let promptTokens = 0;
  let cached = 0;

  return {
    arrived(at) {
      if (Number.isNaN(firstArrival)) firstArrival = at;
      lastArrival = at;
      if (at >= warmupSeconds) requests += 1;
    },
    refused(at) {
      if (at >= warmupSeconds) refused += 1;
    },
    failed(at) {
      if (at >= warmupSeconds) errors += 1;
    },
    sentTo(pod) {
      requestsByPod[pod]! += 1;
    },
    finished({ request, firstTokenAt }, { at, generatedTokens, cachedTokens }) {
      lastEnd = at;
      outputTokens += generatedTokens;
      if (request.at < warmupSeconds) return;
      const firstToken = firstTokenAt - request.at;
      firstTokens.push(firstToken);
      if (firstToken <= firstTokenLimitSeconds) good += 1;
      tokenIntervals += generatedTokens - 1;
      tokenIntervalSeconds += at - firstTokenAt;
      promptTokens += request.promptTokens;
      cached += cachedTokens;
    },
    result(preemptions) {
      return {
        requests,
        refused,
        errors,
        firstTokenSeconds: firstTokens.values().sort(),
        interTokenMeanSeconds: tokenIntervalSeconds / tokenIntervals,
        outputTokensPerSecond: outputTokens / (lastEnd - firstArrival),
        goodputPerSecond: good / (lastArrival - Math.max(firstArrival, warmupSeconds)),
        prefixHitRate: cached / promptTokens,
        preemptions,
        requestsByPod,
      };
    },
  };
}

function growingColumn(): { push(value: number): void; values(): Float64Array } {
  let column = new Float64Array(1024);
  let length = 0;
  return {
    push(value) {
      if (length === column.length) {
        const longer = new Float64Array(2 * length);
        longer.set(column);
        column = longer;
      }
      column[length++] = value;
    },
    values: () => column.slice(0, length),
  };
}
