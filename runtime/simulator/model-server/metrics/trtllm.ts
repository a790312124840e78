import { REQUEST_BOUNDS } from './bounds';
import { expose } from './exposition';
import type { Histogram } from './histogram';
import { BLOCK_SIZE_LABEL, type Dialect, histogram, histogramAtMean, single } from './view';

/** The page of TensorRT-LLM's own server (`trtllm-serve`): requests, told at their end, then the engine's steps. */
export const trtllm: Dialect = ({ model, snapshot, statistics }, padding) => {
  const { counters } = snapshot;
  const labels = { engine_type: 'trtllm', model_name: model };
  const gauge = (name: string, help: string, value: number) => single('gauge', `trtllm_${name}`, help, labels, value);
  const counter = (name: string, help: string, value: number) =>
    single('counter', `trtllm_${name}_total`, help, labels, value);
  const observed = (name: string, help: string, source: Histogram) => histogram(`trtllm_${name}`, help, labels, source);
  const phase = (name: string, title: string, sum: number) =>
    histogramAtMean(
      `trtllm_request_${name}_time_seconds`,
      `Histogram of time spent in ${title} phase for request.`,
      labels,
      REQUEST_BOUNDS,
      { sum, count: counters.finishedCount },
    );
  const families = [
    {
      name: 'trtllm_request_success_total',
      type: 'counter' as const,
      help: 'Count of successfully processed requests.',
      samples: [{ labels: { ...labels, finished_reason: 'stop' }, value: statistics.finished }],
    },
    observed(
      'e2e_request_latency_seconds',
      'Histogram of end to end request latency in seconds.',
      statistics.requestSeconds,
    ),
    observed(
      'time_to_first_token_seconds',
      'Histogram of time to first token in seconds.',
      statistics.firstTokenSeconds,
    ),
    observed(
      'time_per_output_token_seconds',
      'Histogram of time per output token in seconds.',
      statistics.meanIntervalSeconds,
    ),
    phase('queue', 'WAITING', counters.queueSum),
    phase('prefill', 'PREFILL', counters.prefillSum),
    phase('decode', 'DECODE', counters.decodeSum),
    counter('prompt_tokens', 'Cumulative number of prompt (input) tokens processed.', statistics.promptTokens),
    counter(
      'generation_tokens',
      'Cumulative number of generation (output) tokens produced.',
      statistics.generatedTokens,
    ),
    gauge('kv_cache_utilization', 'KV cache utilization', snapshot.kvUsage),
    gauge('num_requests_running', 'Number of active requests', snapshot.running),
    gauge('num_requests_waiting', 'Number of queued requests', snapshot.waiting),
    gauge('kv_cache_max_blocks', 'Maximum number of KV cache blocks', snapshot.totalBlocks),
    gauge('kv_cache_tokens_per_block', 'Number of tokens per KV cache block', Number(BLOCK_SIZE_LABEL)),
  ];
  return expose(families) + padding;
};
