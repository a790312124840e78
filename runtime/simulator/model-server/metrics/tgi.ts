import { FIRST_TOKEN_BOUNDS, REQUEST_BOUNDS, TOKEN_INTERVAL_BOUNDS } from './bounds';
import { expose } from './exposition';
import { samplesAtMean } from './histogram';
import { type Dialect, histogram, histogramAtMean, single } from './view';

/** Text Generation Inference's page: it has neither KV usage nor a model label. */
export const tgi: Dialect = ({ snapshot, statistics }, padding) => {
  const { counters } = snapshot;
  // A step of the real server is either of the two: here each prompt counts as one prefill, and the rest as decode.
  const decodeSteps = Math.max(0, counters.steps - counters.firstTokenCount);
  const interval = counters.interTokenCount === 0 ? 0 : counters.interTokenSum / counters.interTokenCount;
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
      statistics.meanIntervalSeconds,
    ),
    histogramAtMean('tgi_request_queue_duration', 'Time spent in the queue in seconds', {}, REQUEST_BOUNDS, {
      sum: counters.queueSum,
      count: counters.finishedCount,
    }),
    histogramAtMean('tgi_request_inference_duration', 'Inference duration in seconds', {}, REQUEST_BOUNDS, {
      sum: counters.prefillSum + counters.decodeSum,
      count: counters.finishedCount,
    }),
    {
      name: 'tgi_batch_inference_duration',
      type: 'histogram' as const,
      help: 'Batch inference duration',
      samples: [
        ...samplesAtMean(FIRST_TOKEN_BOUNDS, counters.prefillSum, counters.firstTokenCount, { method: 'prefill' }),
        ...samplesAtMean(TOKEN_INTERVAL_BOUNDS, decodeSteps * interval, decodeSteps, { method: 'decode' }),
      ],
    },
  ];
  return expose(families) + padding;
};
