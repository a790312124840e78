import type { Band } from '../../../lib/translate/gateway-state';
import { bandOf } from '../../endpoint-picker/admission/band';
import type { EngineEvent } from '../engine/types';
import type { FleetRequest } from './fleet-request';
import { createGrowingColumn, type GrowingColumn } from './growing-column';
import type { BandResult, RunResult } from './run-result';
import type { LiveRequest } from './simulated-pod';

/** Collects what becomes of a run's requests. Times are seconds of the virtual clock. */
export interface Outcome {
  arrived(request: FleetRequest): void;
  refused(request: FleetRequest): void;
  /** Refused after it had waited for its turn. */
  expired(request: FleetRequest): void;
  failed(request: FleetRequest): void;
  sentTo(pod: number): void;
  /** `end`: the engine's own, since it may have cut the answer off at its context length. */
  finished(live: LiveRequest, end: AnswerEnd): void;
  result(preemptions: number): RunResult;
}

type AnswerEnd = Pick<Extract<EngineEvent, { type: 'finished' }>, 'at' | 'generatedTokens' | 'cachedTokens'>;

/** What is counted of each band. */
interface BandCount {
  readonly firstTokens: GrowingColumn;
  requests: number;
  refused: number;
  expired: number;
  errors: number;
  good: number;
}

export function createOutcome(pods: number, warmupSeconds: number, firstTokenLimitSeconds: number): Outcome {
  const bands = new Map<Band, BandCount>();
  const firstTokens = createGrowingColumn();
  const requestsByPod = new Array<number>(pods).fill(0);
  let firstArrival = Number.NaN;
  let lastArrival = 0;
  let lastEnd = 0;
  let outputTokens = 0;
  let tokenIntervals = 0;
  let tokenIntervalSeconds = 0;
  let promptTokens = 0;
  let cached = 0;

  function countOf({ priority = 0 }: FleetRequest): BandCount {
    const band = bandOf(priority);
    let count = bands.get(band);
    if (count === undefined) {
      count = { firstTokens: createGrowingColumn(), requests: 0, refused: 0, expired: 0, errors: 0, good: 0 };
      bands.set(band, count);
    }
    return count;
  }

  function counter(kind: 'refused' | 'expired' | 'errors'): (request: FleetRequest) => void {
    return (request) => {
      if (request.at >= warmupSeconds) countOf(request)[kind] += 1;
    };
  }

  function perSecond(good: number): number {
    return good / (lastArrival - Math.max(firstArrival, warmupSeconds));
  }

  return {
    arrived(request) {
      const { at } = request;
      if (Number.isNaN(firstArrival)) firstArrival = at;
      lastArrival = at;
      if (at >= warmupSeconds) countOf(request).requests += 1;
    },
    refused: counter('refused'),
    expired: counter('expired'),
    failed: counter('errors'),
    sentTo(pod) {
      requestsByPod[pod]! += 1;
    },
    finished({ request, firstTokenAt }, { at, generatedTokens, cachedTokens }) {
      lastEnd = at;
      outputTokens += generatedTokens;
      if (request.at < warmupSeconds) return;
      const band = countOf(request);
      const firstToken = firstTokenAt - request.at;
      firstTokens.push(firstToken);
      band.firstTokens.push(firstToken);
      if (firstToken <= firstTokenLimitSeconds) band.good += 1;
      tokenIntervals += generatedTokens - 1;
      tokenIntervalSeconds += at - firstTokenAt;
      promptTokens += request.promptTokens;
      cached += cachedTokens;
    },
    result(preemptions) {
      const sum = (figure: (band: BandCount) => number) =>
        [...bands.values()].reduce((total, band) => total + figure(band), 0);
      return {
        requests: sum((band) => band.requests),
        refused: sum((band) => band.refused + band.expired),
        errors: sum((band) => band.errors),
        firstTokenSeconds: firstTokens.sorted(),
        interTokenMeanSeconds: tokenIntervalSeconds / tokenIntervals,
        outputTokensPerSecond: outputTokens / (lastEnd - firstArrival),
        goodputPerSecond: perSecond(sum((band) => band.good)),
        prefixHitRate: cached / promptTokens,
        preemptions,
        requestsByPod,
        bands: new Map(
          [...bands].map(
            ([band, { firstTokens: ofBand, requests, refused, expired, errors, good }]): [Band, BandResult] => [
              band,
              {
                requests,
                refused,
                expired,
                errors,
                firstTokenSeconds: ofBand.sorted(),
                goodputPerSecond: perSecond(good),
              },
            ],
          ),
        ),
      };
    },
  };
}
