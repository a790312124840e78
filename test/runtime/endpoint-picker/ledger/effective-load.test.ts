import { effectiveQueue, effectiveRunning } from '../../../../runtime/endpoint-picker/ledger/effective-load';

describe('the load between two scrapes', () => {
  test('what was dispatched since the scrape is waiting', () => {
    expect(effectiveQueue(2, 8, 13, 10)).toBe(5);
  });

  test('what ended since the scrape made room: the queue shrinks first, then the batch', () => {
    expect(effectiveQueue(2, 8, 7, 10)).toBe(0);
    expect(effectiveRunning(2, 8, 7, 10)).toBe(7);
    expect(effectiveRunning(5, 8, 7, 10)).toBe(8);
  });

  test('requests in flight that the endpoint did not show count as waiting', () => {
    expect(effectiveQueue(0, 3, 10, 10)).toBe(7);
  });

  test('requests of other dispatchers are not lost', () => {
    expect(effectiveQueue(4, 20, 0, 0)).toBe(4);
    expect(effectiveRunning(4, 20, 0, 0)).toBe(20);
  });

  test('without a metric the ledger stands in', () => {
    expect(effectiveQueue(Number.NaN, Number.NaN, 6, 2)).toBe(6);
    expect(effectiveRunning(Number.NaN, Number.NaN, 6, 2)).toBe(6);
  });
});
