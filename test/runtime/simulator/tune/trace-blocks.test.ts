import type { FleetRequest } from '../../../../runtime/simulator/fleet/fleet-request';
import { traceBlocks } from '../../../../runtime/simulator/tune/trace-blocks';

const requests = (count: number) =>
  Array.from({ length: count }, (_, index): FleetRequest => {
    return { at: index * 0.5, promptTokens: index + 1, outputTokens: 1, blocks: [], prefixHashes: [], connection: 0 };
  });

test('every request is in one part, and parts for the search and held-out ones take turns', () => {
  const { search, heldOut } = traceBlocks(requests(1207));
  expect([search.length, heldOut.length]).toEqual([3, 3]);
  const inTurn = search.flatMap((block, index) => [...block.requests, ...heldOut[index]!.requests]);
  expect(inTurn.map(({ promptTokens }) => promptTokens)).toEqual(
    requests(1207).map(({ promptTokens }) => promptTokens),
  );
});

test('every part begins at 0 and keeps its gaps', () => {
  const { search, heldOut } = traceBlocks(requests(1200));
  for (const block of [...search, ...heldOut]) {
    const times = Array.from(block.requests, ({ at }) => at);
    expect(times).toEqual(times.map((_, index) => index * 0.5));
    expect(block.seconds).toBe(times.at(-1));
  }
});

test('a long trace has ten parts of each kind', () => {
  expect(traceBlocks(requests(20_000)).heldOut).toHaveLength(10);
});

test('a trace without enough requests for a P99 in three parts of each kind is refused', () => {
  expect(() => traceBlocks(requests(1199))).toThrow('1199 requests; tuning needs 1200');
});
