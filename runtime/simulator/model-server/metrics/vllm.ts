import { expose, type Family } from './exposition';
import { BLOCK_SIZE_LABEL, type Dialect, histogram, single } from './view';

/** vLLM's (V1 engine) page: gauges first, bulk, then the info series at the end. */
export const vllm: Dialect = (view, padding) => {
  const { snapshot, statistics } = view;
  const labels = { engine: '0', model_name: view.model };
  const gauge = (name: string, help: string, value: number) => single('gauge', `vllm:${name}`, help, labels, value);
  const counter = (name: string, help: string, value: number) =>
    single('counter', `vllm:${name}_total`, help, labels, value);
  const head: Family[] = [
    gauge('num_requests_running', 'Number of requests in model execution batches.', snapshot.running),
    gauge('num_requests_waiting', 'Number of requests waiting to be processed.', snapshot.waiting),
    gauge('kv_cache_usage_perc', 'KV-cache usage. 1 means 100 percent usage.', snapshot.kvUsage),
    counter(
      'prefix_cache_queries',
      'Prefix cache queries, in terms of number of queried tokens.',
      snapshot.prefixQueries,
    ),
    counter('prefix_cache_hits', 'Prefix cache hits, in terms of number of cached tokens.', snapshot.prefixHits),
    counter('num_preemptions', 'Cumulative number of preemption from the engine.', snapshot.preemptions),
    counter('prompt_tokens', 'Number of prefill tokens processed.', statistics.promptTokens),
    counter('generation_tokens', 'Number of generation tokens processed.', statistics.generatedTokens),
    {
      name: 'vllm:request_success_total',
      type: 'counter',
      help: 'Count of successfully processed requests.',
      samples: [
        { labels: { ...labels, finished_reason: 'stop' }, value: statistics.finished },
        { labels: { ...labels, finished_reason: 'abort' }, value: statistics.aborted },
      ],
    },
    histogram(
      'vllm:time_to_first_token_seconds',
      'Histogram of time to first token in seconds.',
      labels,
      statistics.firstTokenSeconds,
    ),
    histogram(
      'vllm:inter_token_latency_seconds',
      'Histogram of inter-token latency in seconds.',
      labels,
      statistics.tokenIntervalSeconds,
    ),
    histogram(
      'vllm:e2e_request_latency_seconds',
      'Histogram of e2e request latency in seconds.',
      labels,
      statistics.requestSeconds,
    ),
    histogram('vllm:request_prompt_tokens', 'Number of prefill tokens processed.', labels, statistics.promptLengths),
    histogram(
      'vllm:request_generation_tokens',
      'Number of generation tokens processed.',
      labels,
      statistics.generationLengths,
    ),
  ];
  const tail: Family[] = [
    single(
      'gauge',
      'vllm:cache_config_info',
      'Information of the LLMEngine CacheConfig',
      {
        block_size: BLOCK_SIZE_LABEL,
        enable_prefix_caching: 'True',
        engine: '0',
        num_gpu_blocks: `${snapshot.totalBlocks}`,
      },
      1,
    ),
  ];
  if (view.maxLora > 0) {
    tail.push({
      name: 'vllm:lora_requests_info',
      type: 'gauge',
      help: 'Running stats on lora requests.',
      samples: view.loraSeries.map(({ running, waiting, at }) => ({
        labels: { max_lora: `${view.maxLora}`, running_lora_adapters: running, waiting_lora_adapters: waiting },
        value: at,
      })),
    });
  }
  return expose(head) + padding + expose(tail);
};
