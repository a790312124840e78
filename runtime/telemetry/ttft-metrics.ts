import { Histogram, type Registry } from 'prom-client';
import type { EndedDecision } from '../explain/explaining-picker';
import type { NamedSeries } from './named-series';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** Around 1, where predictions are right, finer. */
const RATIOS = [0.1, 0.25, 0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 4, 10];

/**
 * Times to the first token as they were predicted and as they came, of the streams that were watched for it. A prediction
 * is for the pod that was picked, so it is not compared with what another one did.
 * `limited`: bounds the names of models.
 */
export function createTtftMetrics(
  registry: Registry,
  series: NamedSeries,
  limited: (model: string) => string,
): (decision: EndedDecision) => void {
  const seconds = (name: string, help: string) =>
    new Histogram({ name, help, labelNames: ['target_model_name'], buckets: SECONDS, registers: [registry] });
  const observed = seconds(
    'inference_objective_request_ttft_seconds',
    'From the decision to the first token, of streams that were watched for it.',
  );
  const predicted = seconds(
    'inference_objective_request_predicted_ttft_seconds',
    'What the picker had expected for them, less those that another pod served than the one picked.',
  );
  const ratios = new Histogram({
    name: 'inference_extension_ttft_prediction_ratio',
    help: 'Predicted time to the first token divided by the observed one.',
    labelNames: ['inference_pool'],
    buckets: RATIOS,
    registers: [registry],
  });
  const [ofObserved, ofPredicted, ofRatios] = [series.of(observed), series.of(predicted), series.of(ratios)];
  return ({ scheduler, model, servedBy, predictedTtftMs, observedTtftMs }) => {
    if (predictedTtftMs === undefined || observedTtftMs === undefined) return;
    const labels = { target_model_name: limited(model) };
    observed.observe(ofObserved(labels), observedTtftMs / 1000);
    if (servedBy !== undefined) return;
    predicted.observe(ofPredicted(labels), predictedTtftMs / 1000);
    if (observedTtftMs > 0) ratios.observe(ofRatios({ inference_pool: scheduler }), predictedTtftMs / observedTtftMs);
  };
}
