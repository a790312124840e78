import { Registry } from 'prom-client';
import type { EndedDecision } from '../../../runtime/explain/explaining-picker';
import { NamedSeries } from '../../../runtime/telemetry/named-series';
import { createTtftMetrics } from '../../../runtime/telemetry/ttft-metrics';

const DECISION = { scheduler: 'ns/a', model: 'a', endpoint: '10.0.0.1:8000', pickMs: 0, durationMs: 900 };

async function sums(...changes: Array<Partial<EndedDecision>>) {
  const registry = new Registry();
  const decided = createTtftMetrics(registry, new NamedSeries(), (model) => model);
  for (const change of changes) decided({ ...DECISION, ...change });
  return (await registry.metrics()).split('\n').filter((line) => /_(sum|count)\{/.test(line));
}

test('predicted and observed times are of the same streams, and their ratio is by pool', async () => {
  expect(await sums({ predictedTtftMs: 150, observedTtftMs: 300 })).toEqual([
    'inference_objective_request_ttft_seconds_sum{target_model_name="a"} 0.3',
    'inference_objective_request_ttft_seconds_count{target_model_name="a"} 1',
    'inference_objective_request_predicted_ttft_seconds_sum{target_model_name="a"} 0.15',
    'inference_objective_request_predicted_ttft_seconds_count{target_model_name="a"} 1',
    'inference_extension_ttft_prediction_ratio_sum{inference_pool="ns/a"} 0.5',
    'inference_extension_ttft_prediction_ratio_count{inference_pool="ns/a"} 1',
  ]);
});

test('what another pod did than the one picked is not compared with the prediction', async () => {
  expect(await sums({ predictedTtftMs: 150, observedTtftMs: 9000, servedBy: '10.0.0.2:8000' })).toEqual([
    'inference_objective_request_ttft_seconds_sum{target_model_name="a"} 9',
    'inference_objective_request_ttft_seconds_count{target_model_name="a"} 1',
  ]);
});

test('a request of which one of the two is not known counts for neither', async () => {
  expect(await sums({ predictedTtftMs: 150 }, { observedTtftMs: 300 })).toEqual([]);
});
