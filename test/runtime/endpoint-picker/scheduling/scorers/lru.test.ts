import { candidatesWith, scoresOf } from '../../support/candidates-with';

describe('lru', () => {
  test('for a prompt that nobody holds, the endpoint that got one longest ago is best', () => {
    expect(scoresOf('lru', candidatesWith({ lastColdPick: [900, 0, 7] }))).toEqual([0, 1, 0.5]);
  });

  test('a prompt that somebody holds is neutral', () => {
    const candidates = candidatesWith({ lastColdPick: [9, 0], matchedBlocks: [2, 0] });
    expect(scoresOf('lru', candidates, { blocks: 4 })).toEqual([0.5, 0.5]);
  });
});
