import fc from 'fast-check';
import { choose } from '../../../../runtime/endpoint-picker/scheduling/choose';
import { candidatesWith } from '../support/candidates-with';
import { seededRandom } from '../support/fixtures';

interface Ties {
  readonly inFlight?: number[];
  readonly workTokens?: number[];
  readonly lastPick?: number[];
}

function chosenOf(totals: number[], { seed = 1, ...columns }: Ties & { seed?: number } = {}) {
  const chosen = new Int32Array(3);
  const candidates = candidatesWith(columns, totals.length);
  const count = choose(Float64Array.from(totals), candidates, seededRandom(seed), chosen);
  return [...chosen.subarray(0, count)];
}

describe('the choice', () => {
  test('is the best total, with the next two as fallbacks in order', () => {
    expect(chosenOf([1, 4, 2, 3])).toEqual([1, 3, 2]);
  });

  test('among equals is the one with fewest requests in flight, then the least work, then the longest not picked', () => {
    expect(chosenOf([2, 2, 2], { inFlight: [3, 1, 2] })).toEqual([1, 2, 0]);
    expect(chosenOf([2, 2, 2], { workTokens: [30, 10, 20] })).toEqual([1, 2, 0]);
    expect(chosenOf([2, 2, 2], { lastPick: [3, 1, 2] })).toEqual([1, 2, 0]);
    expect(chosenOf([2, 2], { inFlight: [1, 2], workTokens: [9, 1], lastPick: [9, 1] })).toEqual([0, 1]);
    expect(chosenOf([2, 2], { workTokens: [1, 2], lastPick: [9, 1] })).toEqual([0, 1]);
  });

  test('totals within 2 % of the best are equal to it, and no others', () => {
    expect(chosenOf([100, 98.1], { inFlight: [1, 0] })).toEqual([1, 0]);
    expect(chosenOf([100, 97.9], { inFlight: [1, 0] })).toEqual([0, 1]);
  });

  test('among full equals is chance, and each is as likely', () => {
    const counts = [0, 0, 0, 0];
    for (let seed = 0; seed < 4000; seed++) counts[chosenOf([1, 1, 1, 1], { seed })[0]!]! += 1;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120);
  });

  test('holds different candidates only, as many as there are up to three', () => {
    const totals = fc.array(fc.double({ min: 0, max: 9, noNaN: true }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(totals, fc.nat(), (values, seed) => {
        const chosen = chosenOf(values, { seed });
        expect(chosen).toHaveLength(Math.min(3, values.length));
        expect(new Set(chosen).size).toBe(chosen.length);
        for (const row of chosen) expect(row >= 0 && row < values.length).toBe(true);
        expect(values[chosen[0]!]).toBeGreaterThanOrEqual(Math.max(...values) * 0.98);
      }),
    );
  });
});
