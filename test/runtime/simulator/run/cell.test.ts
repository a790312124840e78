import { cellRows, planCell } from '../../../../runtime/simulator/run/cell';
import { figures } from '../report/figures';
import { TINY } from './tiny-scenario';

test('round robin and the oracle are run too, once each', () => {
  const { tasks } = planCell(TINY, ['gateway', 'round-robin'], 2, {});
  expect(tasks.map(({ policy, seed }) => `${policy} ${seed}`)).toEqual([
    'gateway 1',
    'gateway 2',
    'round-robin 1',
    'round-robin 2',
    'oracle 1',
    'oracle 2',
  ]);
});

test('rows are of the policies asked for, held against runs of the same seed', () => {
  const cell = planCell({ ...TINY, ratePerSecond: 8 }, ['gateway'], 2, {});
  const p95 = { gateway: 1, 'round-robin': 2, oracle: 0.5 } as Record<string, number>;
  const rows = cellRows(cell, new Map(cell.tasks.map((task) => [task, figures(p95[task.policy]! * task.seed)])), [
    'gateway',
  ]);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    scenario: 'tiny',
    policy: 'gateway',
    rate: 8,
    seeds: 2,
    ttft_p95_s: 1.5,
    vs_round_robin: { ttft_p95_pct: -50, ci95: { ttft_p95_pct: 0 } },
    regret_p95_pct: 100,
  });
});

test('what is set for all runs reaches each task', () => {
  const scrapeInterval = { busySeconds: 5, idleSeconds: 5 };
  expect(planCell(TINY, ['gateway'], 1, { scrapeInterval }).tasks).toEqual(
    ['gateway', 'round-robin', 'oracle'].map((policy) => ({ scenario: TINY, policy, seed: 1, scrapeInterval })),
  );
});
