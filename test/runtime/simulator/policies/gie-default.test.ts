import { gieDefault } from '../../../../runtime/simulator/policies/gie-default';
import { policyTrial, shares } from './policy-trial';

test('the score is 2 (most - queue) / (most - least) + 2 (1 - KV use) + 3 matched / blocks', () => {
  const trial = policyTrial(gieDefault, 4);
  // Pod 2 alone is ready: it is held to have the prefix then.
  for (const pod of [0, 1, 3]) trial.setReady(pod, false);
  trial.pick({ prefixHashes: [1, 2] });
  for (const pod of [0, 1, 3]) trial.setReady(pod, true);
  trial.scrape(0, { waiting: 0, kvUsage: 0.9 }); // 2 x 4/4 + 2 x 0.1 = 2.2
  trial.scrape(1, { waiting: 2, kvUsage: 0.25 }); // 2 x 2/4 + 2 x 0.75 = 2.5
  trial.scrape(2, { waiting: 4, kvUsage: 0.5 }); // 2 x 0/4 + 2 x 0.5 = 1
  trial.scrape(3, { waiting: 3, kvUsage: 0.1 }); // 2 x 1/4 + 2 x 0.9 = 2.3
  expect(trial.choice({ prefixHashes: [8, 9] }).pods).toEqual([1, 3, 0]);
  // Pod 2 with 2 of 4 blocks: 1 + 3 x 2/4 = 2.5; a hair less KV use decides against pod 1.
  trial.scrape(2, { waiting: 4, kvUsage: 0.49 });
  expect(trial.choice({ prefixHashes: [1, 2, 30, 31] }).pods).toEqual([2, 1, 3]);
});

test('with equal queues the queue is worth its whole weight at every pod', () => {
  const trial = policyTrial(gieDefault, 2);
  trial.scrape(0, { waiting: 7, kvUsage: 0.2 });
  trial.scrape(1, { waiting: 7, kvUsage: 0.1 });
  expect(shares(trial, 2, 10)).toEqual([0, 10]);
});

test('between two scrapes nothing that was sent counts: everything goes to the same pod', () => {
  const trial = policyTrial(gieDefault, 3);
  trial.scrape(0, { waiting: 1, kvUsage: 0.5 });
  trial.scrape(1, { waiting: 1, kvUsage: 0.4 });
  trial.scrape(2, { waiting: 1, kvUsage: 0.5 });
  expect(shares(trial, 3, 50)).toEqual([0, 50, 0]);
  trial.scrape(1, { waiting: 40, kvUsage: 0.9 });
  expect(shares(trial, 3, 50)[1]).toBe(0);
});

test('chance decides among equals', () => {
  const trial = policyTrial(gieDefault, 3);
  for (const count of shares(trial, 3, 900)) expect(Math.abs(count - 300)).toBeLessThan(70);
});

test('a pod that was never scraped looks empty', () => {
  const trial = policyTrial(gieDefault, 2);
  trial.scrape(0, { waiting: 0, kvUsage: 0.01 });
  expect(shares(trial, 2, 10)).toEqual([0, 10]);
});

test('a prompt shorter than one block has no prefix score', () => {
  const trial = policyTrial(gieDefault, 2);
  trial.scrape(0, { kvUsage: 0.5 });
  expect(trial.pick({ prefixHashes: [] })).toBe(1);
});
