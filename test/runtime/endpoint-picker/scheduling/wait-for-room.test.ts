import { waitForRoom } from '../../../../runtime/endpoint-picker/scheduling/wait-for-room';
import { candidatesWith, scoredRequest } from '../support/candidates-with';

const REQUEST = scoredRequest({ promptTokens: 1000, outputTokens: 200, blocks: 10, blockTokens: 100 });

type Columns = Parameters<typeof candidatesWith>[0];

function startOf(columns: Columns, request = REQUEST): number {
  const candidates = candidatesWith({ kvUsage: [0.5], kvFreeTokens: [1e6], queueMs: [Number.NaN], ...columns });
  waitForRoom(candidates, request);
  return candidates.startMs[0]!;
}

describe('waiting for room in the KV cache', () => {
  test('with room, only the prompts ahead are waited for, however slowly the queue moved', () => {
    expect(startOf({ startMs: [300], queueMs: [9000] })).toBe(300);
  });

  test('in front of a full cache the queue is waited for, at the pace at which others started', () => {
    expect(startOf({ startMs: [300], queueMs: [9000], kvUsage: [0.95] })).toBe(9000);
  });

  test('a prompt that does not fit waits as well, one whose cached part makes it fit does not', () => {
    const tight = { startMs: [300], queueMs: [9000], kvFreeTokens: [400] };
    expect(startOf(tight)).toBe(9000);
    expect(startOf({ ...tight, matchedBlocks: [7] })).toBe(300);
  });

  test('a full batch is waited for though the KV cache has room, also for a prompt that is cached whole', () => {
    const full = { startMs: [300], queueMs: [9000], kvFreeTokens: [Number.NEGATIVE_INFINITY], matchedBlocks: [10] };
    expect(startOf(full)).toBe(9000);
  });

  test('an engine that does not tell its KV cache is full when requests wait', () => {
    const unknown = { startMs: [300], kvUsage: [Number.NaN], kvFreeTokens: [Number.NaN] };
    expect(startOf({ ...unknown, queueMs: [9000] })).toBe(9000);
    expect(startOf(unknown)).toBe(300);
  });

  test('the queue never makes the start sooner than the prompts ahead do', () => {
    expect(startOf({ startMs: [9000], queueMs: [300], kvUsage: [0.95] })).toBe(9000);
  });

  test('each token that takes a place costs its price, a cached one does not', () => {
    expect(startOf({ kvTokenSeconds: [0.001] })).toBeCloseTo(1200);
    expect(startOf({ kvTokenSeconds: [0.001], matchedBlocks: [10] })).toBeCloseTo(200);
  });
});
