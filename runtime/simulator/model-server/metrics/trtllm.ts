import { expose } from './exposition';
import { BLOCK_SIZE_LABEL, type Dialect, histogram, single } from './view';

/** The page of TensorRT-LLM's own server (`trtllm-serve`). */
export const trtllm: Dialect = ({ model, snapshot, statistics }, padding) => {
  const labels = { engine_type: 'trtllm', model_name: model };
  const gauge = (name: string, help: string, value: number) => single('gauge', `trtllm_${name}`, help, labels, value);
  const families = [
    gauge('num_requests_running', 'Number of running requests', snapshot.running),
    gauge('num_requests_waiting', 'Number of waiting requests', snapshot.waiting),
    gauge('kv_cache_utilization', 'Fraction of KV cache blocks in use', snapshot.kvUsage),
    gauge('kv_cache_tokens_per_block', 'Tokens in a KV cache block', Number(BLOCK_SIZE_LABEL)),
    gauge('kv_cache_max_blocks', 'KV cache blocks', snapshot.totalBlocks),
    {
      name: 'trtllm_request_success_total',
      type: 'counter' as const,
      help: 'Count of successfully processed requests',
      samples: [{ labels: { ...labels, finished_reason: 'stop' }, value: statistics.finished }],
    },
    histogram(
      'trtllm_time_to_first_token_seconds',
      'Histogram of time to first token in seconds',
      labels,
      statistics.firstTokenSeconds,
    ),
    histogram(
      'trtllm_e2e_request_latency_seconds',
      'Histogram of end to end request latency in seconds',
      labels,
      statistics.requestSeconds,
    ),
  ];
  return expose(families) + padding;
};
