import { expose, type Sample } from './exposition';
import { Histogram } from './histogram';

/** Further histograms of a vLLM page; they carry no live values. */
const BULK = [
  'request_inference_time_seconds',
  'request_max_num_generation_tokens',
  'request_params_n',
  'request_params_max_tokens',
  'request_prefill_kv_computed_tokens',
];
const HANDLERS = [
  'chat/completions',
  'completions',
  'embeddings',
  'messages',
  'models',
  'rerank',
  'responses',
  'score',
];
const STATUSES = ['2xx', '3xx', '4xx', '5xx'];
const BOUNDS = [0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680];

/** `metricsPadding` can make this much under any engine's prefix. */
export const MAX_PADDING_BYTES = 80_000;

/**
 * About `bytes` (up to one histogram more) of valid families: an engine's further histograms, then those of its HTTP
 * handlers; '' for 0 or less. Made once: a scrape pays only for its copying.
 */
export function metricsPadding(prefix: string, model: string, bytes: number): string {
  let text = '';
  for (const [index, name] of BULK.entries()) {
    if (text.length >= bytes) return text;
    const samples = filled(index).samples({ engine: '0', model_name: model });
    const help = `Histogram of ${name.replaceAll('_', ' ')}.`;
    text += expose([{ name: `${prefix}${name}`, type: 'histogram', help, samples }]);
  }
  const samples: Sample[] = [];
  const handlers = () =>
    expose([{ name: 'http_request_duration_seconds', type: 'histogram', help: 'Latency by handler.', samples }]);
  for (const handler of HANDLERS) {
    for (const status of STATUSES) {
      if (text.length + handlers().length >= bytes) return text + handlers();
      samples.push(...filled(samples.length).samples({ handler: `/v1/${handler}`, method: 'POST', status }));
    }
  }
  return text + handlers();
}

function filled(seed: number): Histogram {
  const histogram = new Histogram(BOUNDS);
  for (let index = 0; index <= 40; index++) histogram.observe(((index * 37 + seed * 11) % 97) / 7);
  return histogram;
}
