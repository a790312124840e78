import { candidatesWith, scoresOf } from '../../support/candidates-with';

const REQUEST = { promptTokens: 6400, blocks: 100, blockTokens: 64 };

describe('prefix', () => {
  test('grows with the match and is 0 without one', () => {
    const [none, half, whole] = scoresOf('prefix', candidatesWith({ matchedBlocks: [0, 50, 100] }), REQUEST);
    expect(none).toBe(0);
    expect(half).toBeGreaterThan(0.5);
    expect(whole).toBeGreaterThan(half!);
  });

  test('a short prompt that matches whole is worth little', () => {
    const short = scoresOf('prefix', candidatesWith({ matchedBlocks: [1] }), { promptTokens: 64, blocks: 1 });
    expect(short[0]).toBeLessThan(0.2);
  });

  test('counts for nothing where the work ahead costs more than the cache saves', () => {
    const busy = candidatesWith({ matchedBlocks: [100, 0], workTokens: [9000, 1000] });
    expect(scoresOf('prefix', busy, REQUEST)).toEqual([0, 0]);
  });
});
