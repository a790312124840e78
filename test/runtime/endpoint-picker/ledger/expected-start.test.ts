import { createDrain, type Drain } from '../../../../runtime/endpoint-picker/ledger/drain';
import { expectedStartMs } from '../../../../runtime/endpoint-picker/ledger/expected-start';

const MEASURED: Drain = { seconds: 10, departures: 20, seen: 20, slots: 8 };

describe('the expected start', () => {
  test('is the queue over the drain, with what was dispatched since the scrape', () => {
    expect(expectedStartMs(6, 14, 10, MEASURED)).toBe(5000);
  });

  test('is now where nobody was waiting at the last scrape', () => {
    expect(expectedStartMs(0, 500, 10, MEASURED)).toBe(0);
  });

  test('is not known where a queue was seen but no drain', () => {
    expect(expectedStartMs(6, 14, 10, createDrain())).toBeNaN();
  });

  test('without metrics is the requests above the batch seen earlier, over the drain', () => {
    expect(expectedStartMs(Number.NaN, 28, 10, MEASURED)).toBe(10_000);
    expect(expectedStartMs(Number.NaN, 8, 10, MEASURED)).toBe(0);
    expect(expectedStartMs(Number.NaN, 500, 10, createDrain())).toBeNaN();
  });
});
