import { createFullBatch, isBatchFull, observeBatch } from '../../../../runtime/endpoint-picker/ledger/full-batch';

function batchAfter(scrapes: ReadonlyArray<readonly [waiting: number, running: number]>): boolean {
  const batch = createFullBatch();
  for (const [waiting, running] of scrapes) observeBatch(batch, waiting, running);
  return isBatchFull(batch);
}

const times = (count: number, waiting: number, running: number) =>
  Array.from({ length: count }, () => [waiting, running] as const);

test('a batch in front of which requests wait while its size stays the same is full', () => {
  expect(batchAfter(times(10, 3, 64))).toBe(true);
  expect(batchAfter(times(9, 3, 64))).toBe(false);
});

test('a batch that changes is busy, not full', () => {
  expect(batchAfter([...times(9, 3, 64), [3, 65]])).toBe(false);
});

test('it is full no longer once nobody waits, or the engine does not tell', () => {
  expect(batchAfter([...times(20, 3, 64), [0, 64]])).toBe(false);
  expect(batchAfter([...times(20, 3, 64), [Number.NaN, Number.NaN]])).toBe(false);
});
