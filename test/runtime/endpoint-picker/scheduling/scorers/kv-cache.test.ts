import { candidatesWith, scoresOf } from '../../support/candidates-with';

test('kvCache is the free share, and neutral where the engine does not tell', () => {
  expect(scoresOf('kvCache', candidatesWith({ kvUsage: [0.25, 1, Number.NaN] }))).toEqual([0.75, 0, 0.5]);
});

test('more than all of it in use, by the ledger, is as bad as all', () => {
  expect(scoresOf('kvCache', candidatesWith({ kvUsage: [1.5] }))).toEqual([0]);
});
