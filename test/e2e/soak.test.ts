import { runSoak } from '../soak/run-soak';

test('under churn of adapters, pods and configuration only streams of killed pods fail, and every counter returns to zero', async () => {
  const report = await runSoak({ seconds: 25, perSecond: 60, churnEveryMs: 1000, progress: () => {} });
  expect(report.failed).toEqual([]);
  for (const sum of Object.values(report.counters)) expect(sum).toBe(0);
  expect(report.sent).toBeGreaterThan(500);
  for (const count of Object.values(report.churn)) expect(count).toBeGreaterThan(0);
}, 90_000);
