import fc from 'fast-check';
import { kvTokenSeconds } from '../../../../runtime/endpoint-picker/ledger/kv-price';

describe('the price of a token in the KV cache', () => {
  test('is nothing while there is room for all', () => {
    expect(kvTokenSeconds(0.7, 50, 400_000, 2)).toBe(0);
  });

  test('grows as the cache fills, and on when it is full', () => {
    const prices = [0.71, 0.8, 0.9, 0.95, 1].map((usage) => kvTokenSeconds(usage, 50, 400_000, 2));
    expect(prices[0]).toBeGreaterThan(0);
    expect(prices[0]).toBeLessThan(prices[1]! / 20);
    expect(prices).toEqual(prices.toSorted((a, b) => a - b));
    expect(new Set(prices).size).toBe(prices.length);
  });

  test('where requests end twice as fast, or give back twice as much each, it is half', () => {
    const price = kvTokenSeconds(0.95, 50, 400_000, 2);
    expect(kvTokenSeconds(0.95, 50, 400_000, 4)).toBeCloseTo(price / 2, 12);
    expect(kvTokenSeconds(0.95, 25, 400_000, 2)).toBeCloseTo(price / 2, 12);
  });

  test('is nothing where it is not known', () => {
    for (const unknown of [
      kvTokenSeconds(Number.NaN, 50, 400_000, 2),
      kvTokenSeconds(0.95, Number.NaN, 400_000, 2),
      kvTokenSeconds(0.95, 50, Number.NaN, 2),
      kvTokenSeconds(0.95, 50, 400_000, Number.NaN),
      kvTokenSeconds(0.95, 50, 400_000, 0),
      kvTokenSeconds(0.95, 0, 400_000, 2),
    ])
      expect(unknown).toBe(0);
  });

  test('is finite and not below zero, whatever an engine tells', () => {
    const upTo = (max: number) => fc.oneof(fc.double({ min: 1e-9, max, noNaN: true }), fc.constantFrom(0, Number.NaN));
    fc.assert(
      fc.property(upTo(2), upTo(1e6), upTo(1e9), upTo(1e4), (usage, running, capacity, ends) => {
        const price = kvTokenSeconds(usage, running, capacity, ends);
        expect(price >= 0 && price < Number.POSITIVE_INFINITY).toBe(true);
      }),
    );
  });
});
