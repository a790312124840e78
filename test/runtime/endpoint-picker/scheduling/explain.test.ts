import { createCandidates } from '../../../../runtime/endpoint-picker/scheduling/candidates';
import { explain, type Weighed } from '../../../../runtime/endpoint-picker/scheduling/explain';
import type { LeftOut } from '../../../../runtime/endpoint-picker/scheduling/explanation';
import { predictedTtftMs } from '../../../../runtime/endpoint-picker/scheduling/predicted-ttft';
import { weightedScorers } from '../../../../runtime/endpoint-picker/scheduling/weigh';
import { NO_WEIGHTS } from '../support/fixtures';

const REQUEST = { promptTokens: 400, outputTokens: 100, blocks: 8, blockTokens: 50 };

/** A decision among as many candidates as there are totals, in which those in `chosen` were chosen. */
function weighed(totals: number[], chosen: number[], change: Partial<Weighed> = {}): Weighed {
  const candidates = createCandidates(totals.length);
  candidates.count = totals.length;
  return {
    candidates,
    request: REQUEST,
    totals: Float64Array.from(totals),
    scorers: [],
    chosen: Int32Array.from(chosen),
    endpoint: (row) => ({ pod: `models/llama-${row}`, address: `10.0.0.${row}:8000` }),
    leftOut: [],
    ...change,
  };
}

const pods = ({ candidates }: ReturnType<typeof explain>) => candidates.map(({ pod }) => pod.slice(-1)).join('');

test('the choice and its fallbacks come first in their order, then the others by total', () => {
  expect(pods(explain(weighed([1, 2, 5, 3, 4.95], [4, 2])))).toBe('42310');
});

test('a candidate is its pod, its address, its total and the scores that it is made of', () => {
  const scorers = weightedScorers({ ...NO_WEIGHTS, queue: 2, kvCache: 0.5 }, 2);
  scorers[0]!.scores.set([0, 1]);
  scorers[1]!.scores.set([0.8, 0.123456]);
  const result = explain(weighed([0.4, 2.061728], [1, 0], { scorers }));
  expect(result.weights).toEqual({ queue: 2, kvCache: 0.5 });
  expect(result.candidates[0]).toEqual({
    pod: 'models/llama-1',
    address: '10.0.0.1:8000',
    total: 2.0617,
    scores: { queue: 1, kvCache: 0.1235 },
    matchedBlocks: 0,
    predictedTtftMs: 0,
  });
});

test('the winner and the runner-up are named, with what was between them', () => {
  expect(explain(weighed([1, 3, 2.5], [1, 2]))).toMatchObject({
    winner: 'models/llama-1',
    runnerUp: { pod: 'models/llama-2', by: 0.5 },
  });
  expect(explain(weighed([1], [0]))).not.toHaveProperty('runnerUp');
});

test('a winner that is as good as the best, and less busy, may have the lower total', () => {
  expect(explain(weighed([2, 1.99], [1, 0])).runnerUp).toEqual({ pod: 'models/llama-0', by: -0.01 });
});

test('a large pool is told by its first 16 and the number of the others', () => {
  const leftOut = Array.from(
    { length: 30 },
    (_, i): LeftOut => ({ pod: `models/gone-${i}`, address: `10.1.0.${i}:8000`, reason: 'stale' }),
  );
  const totals = Array.from({ length: 1000 }, (_, i) => i);
  const result = explain(weighed(totals, [999, 998, 997], { leftOut }));
  expect([result.candidates.length, result.moreCandidates]).toEqual([16, 984]);
  expect([result.leftOut.length, result.moreLeftOut]).toEqual([16, 14]);
  expect(JSON.stringify(result).length).toBeLessThan(8000);
});

test('it is the same after a journey as JSON, also where a time is not known', () => {
  const result = weighed([1, 2], [1]);
  result.candidates.startMs[0] = Number.NaN;
  const explained = explain(result);
  expect(explained.candidates[1]).not.toHaveProperty('predictedTtftMs');
  expect(JSON.parse(JSON.stringify(explained))).toEqual(explained);
});

describe('the predicted time to the first token', () => {
  function candidate() {
    const { candidates } = weighed([1], [0]);
    candidates.startMs[0] = 300;
    candidates.matchedBlocks[0] = 2;
    candidates.tokenSeconds[0] = 0.001;
    candidates.stepSeconds[0] = 0.02;
    candidates.sequenceSeconds[0] = 0.001;
    candidates.inFlight[0] = 4;
    return candidates;
  }

  test('is the wait, the uncached rest of the prompt and a step of the batch with the request', () => {
    expect(predictedTtftMs(candidate(), REQUEST, 0)).toBeCloseTo(300 + 300 + 20 + 5);
  });

  test('counts what an adapter takes to load, but not the price of putting another one out', () => {
    const candidates = candidate();
    candidates.adapterSeconds[0] = 5;
    expect(predictedTtftMs(candidates, REQUEST, 0)).toBeCloseTo(625 + 1000);
  });

  test('leaves out the price of room in the KV cache, which lies on the wait', () => {
    const candidates = candidate();
    candidates.kvTokenSeconds[0] = 0.0005;
    candidates.startMs[0] = 300 + (300 + 100) * 0.5;
    expect(predictedTtftMs(candidates, REQUEST, 0)).toBeCloseTo(625);
  });
});
