import { REQUEST_BOUNDS, STEP_TOKENS_BOUNDS } from './bounds';
import { expose, type Family } from './exposition';
import type { Histogram } from './histogram';
import { BLOCK_SIZE_LABEL, type Dialect, histogram, histogramAtMean, single } from './view';

/** vLLM's (V1 engine) page: gauges first, bulk, then the info series at the end. */
export const vllm: Dialect = (view, padding) => {
  const { snapshot, statistics } = view;
  const { counters } = snapshot;
  const labels = { engine: '0', model_name: view.model };
  const gauge = (name: string, help: string, value: number) => single('gauge', `vllm:${name}`, help, labels, value);
  const counter = (name: string, help: string, value: number) =>
    single('counter', `vllm:${name}_total`, help, labels, value);
  const observed = (name: string, help: string, source: Histogram) => histogram(`vllm:${name}`, help, labels, source);
  const totalled = (name: string, help: string, bounds: readonly number[], totals: { sum: number; count: number }) =>
    histogramAtMean(`vllm:${name}`, help, labels, bounds, totals);
  const phase = (name: string, title: string, sum: number) =>
    totalled(`request_${name}_time_seconds`, `Histogram of time spent in ${title} phase for request.`, REQUEST_BOUNDS, {
      sum,
      count: counters.finishedCount,
    });
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
    counter('prompt_tokens', 'Number of prefill tokens processed.', counters.promptTokens),
    counter('prompt_tokens_cached', 'Number of cached prompt tokens (local + external).', counters.cachedTokens),
    counter('generation_tokens', 'Number of generation tokens processed.', counters.generatedTokens),
    {
      name: 'vllm:request_success_total',
      type: 'counter',
      help: 'Count of successfully processed requests.',
      samples: [
        { labels: { ...labels, finished_reason: 'stop' }, value: statistics.finished },
        { labels: { ...labels, finished_reason: 'abort' }, value: statistics.aborted },
      ],
    },
    observed('request_prompt_tokens', 'Number of prefill tokens processed.', statistics.promptLengths),
    observed('request_generation_tokens', 'Number of generation tokens processed.', statistics.generationLengths),
    totalled('iteration_tokens_total', 'Histogram of number of tokens per engine_step.', STEP_TOKENS_BOUNDS, {
      sum: counters.promptTokens + counters.generatedTokens,
      count: counters.steps,
    }),
    observed(
      'time_to_first_token_seconds',
      'Histogram of time to first token in seconds.',
      statistics.firstTokenSeconds,
    ),
    observed(
      'inter_token_latency_seconds',
      'Histogram of inter-token latency in seconds.',
      statistics.tokenIntervalSeconds,
    ),
    observed(
      'request_time_per_output_token_seconds',
      'Histogram of time_per_output_token_seconds per request.',
      statistics.meanIntervalSeconds,
    ),
    observed('e2e_request_latency_seconds', 'Histogram of e2e request latency in seconds.', statistics.requestSeconds),
    phase('queue', 'WAITING', counters.queueSum),
    phase('prefill', 'PREFILL', counters.prefillSum),
    phase('decode', 'DECODE', counters.decodeSum),
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
