import { expose } from './exposition';
import { type Dialect, histogram, single } from './view';

/** Text Generation Inference's page: it has neither KV usage nor a model label. */
export const tgi: Dialect = ({ snapshot, statistics }, padding) => {
  const families = [
    single('gauge', 'tgi_queue_size', 'Current number of requests in the internal queue', {}, snapshot.waiting),
    single('gauge', 'tgi_batch_current_size', 'Current batch size', {}, snapshot.running),
    single(
      'counter',
      'tgi_request_count',
      'Total number of requests',
      {},
      statistics.finished + statistics.aborted + snapshot.running + snapshot.waiting,
    ),
    single(
      'counter',
      'tgi_request_success',
      'Number of successful requests',
      { method: 'generate' },
      statistics.finished,
    ),
    histogram('tgi_request_duration', 'Request duration in seconds', {}, statistics.requestSeconds),
    histogram('tgi_request_input_length', 'Input token length per request', {}, statistics.promptLengths),
    histogram('tgi_request_generated_tokens', 'Generated tokens per request', {}, statistics.generationLengths),
    histogram(
      'tgi_request_mean_time_per_token_duration',
      'Mean time per token per request in seconds',
      {},
      statistics.tokenIntervalSeconds,
    ),
  ];
  return expose(families) + padding;
};
