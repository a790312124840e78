import { schedulerWeights } from '../../../../lib/api/inference-gateway-config/scorer-weights';
import { tuneReport } from '../../../../runtime/simulator/tune/tune-report';

const present = schedulerWeights({ weights: { queue: 2, kvCache: 2, prefix: 3 } });
const options = { requests: 5000, pods: 4, scheduler: 'llama', present };
const weights = { ...present, queue: 0, predictedLatency: 4 };
const change = { before: 1.2, after: 0.6, percent: -50, low: -60, high: -40 };

test('prints the change with its interval and the YAML that applies it', () => {
  const text = tuneReport(options, { trial: 20, weights, comparison: { p95: change, p99: change, better: true } });
  expect(text).toContain('P95  1.20 s -> 600 ms  -50.0 % (-60.0 to -40.0)');
  expect(text).toContain(`spec:
  schedulers:
    - name: llama
      weights:
        queue: 0
        kvCache: 2
        prefix: 3
        predictedLatency: 4
`);
});

test('says that no change was found where the interval does not show one, and prints no YAML', () => {
  const chance = { ...change, high: 10 };
  const text = tuneReport(options, { trial: 20, weights, comparison: { p95: chance, p99: chance, better: false } });
  expect(text).toContain('-50.0 % (-60.0 to +10.0)');
  expect(text).toContain('No change found');
  expect(text).not.toContain('spec:');
  expect(tuneReport(options, { trial: 9, weights: present })).toContain('No change found');
});
