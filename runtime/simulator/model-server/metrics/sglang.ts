import { REQUEST_BOUNDS } from './bounds';
import { expose } from './exposition';
import type { Histogram } from './histogram';
import { BLOCK_SIZE_LABEL, type Dialect, histogram, histogramAtMean, single } from './view';

/** SGLang's page: its scheduler's part, then its tokenizer's, which counts tokens at a request's end. */
export const sglang: Dialect = ({ model, snapshot, statistics }, padding) => {
  const labels = { engine_type: 'unified', model_name: model, pp_rank: '0', tp_rank: '0' };
  const blockTokens = Number(BLOCK_SIZE_LABEL);
  const gauge = (name: string, help: string, value: number) => single('gauge', `sglang:${name}`, help, labels, value);
  const counter = (name: string, help: string, value: number) =>
    single('counter', `sglang:${name}_total`, help, labels, value);
  const observed = (name: string, help: string, source: Histogram) => histogram(`sglang:${name}`, help, labels, source);
  const hitRate = snapshot.prefixQueries === 0 ? 0 : snapshot.prefixHits / snapshot.prefixQueries;
  const families = [
    gauge('num_running_reqs', 'The number of running requests.', snapshot.running),
    gauge('num_used_tokens', 'The number of used tokens.', snapshot.usedBlocks * blockTokens),
    gauge('token_usage', 'The token usage.', snapshot.kvUsage),
    gauge('num_queue_reqs', 'The number of requests in the waiting queue.', snapshot.waiting),
    gauge('cache_hit_rate', 'The prefix cache hit rate.', hitRate),
    gauge(
      'max_total_num_tokens',
      'Maximum total number of tokens in the KV cache pool.',
      snapshot.totalBlocks * blockTokens,
    ),
    single(
      'gauge',
      'sglang:cache_config_info',
      'Information of the cache configuration.',
      { ...labels, num_pages: `${snapshot.totalBlocks}`, page_size: BLOCK_SIZE_LABEL },
      1,
    ),
    histogramAtMean('sglang:queue_time_seconds', 'Histogram of queueing time in seconds.', labels, REQUEST_BOUNDS, {
      sum: snapshot.counters.queueSum,
      count: snapshot.counters.finishedCount,
    }),
    counter('prompt_tokens', 'Number of prefill tokens processed.', statistics.promptTokens),
    counter('generation_tokens', 'Number of generation tokens processed.', statistics.generatedTokens),
    single(
      'counter',
      'sglang:cached_tokens_total',
      'Number of cached prompt tokens.',
      { cache_source: 'device', ...labels },
      statistics.cachedTokens,
    ),
    counter('num_requests', 'Number of requests processed.', statistics.finished),
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
      'e2e_request_latency_seconds',
      'Histogram of End-to-end request latency in seconds',
      statistics.requestSeconds,
    ),
  ];
  return expose(families) + padding;
};
