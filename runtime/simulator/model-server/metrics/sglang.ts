import { expose } from './exposition';
import { BLOCK_SIZE_LABEL, type Dialect, histogram, single } from './view';

/** SGLang's page. */
export const sglang: Dialect = ({ model, snapshot, statistics }, padding) => {
  const labels = { engine_type: 'unified', model_name: model, pp_rank: '0', tp_rank: '0' };
  const blockTokens = Number(BLOCK_SIZE_LABEL);
  const gauge = (name: string, help: string, value: number) => single('gauge', `sglang:${name}`, help, labels, value);
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
    single(
      'counter',
      'sglang:prompt_tokens_total',
      'Number of prefill tokens processed.',
      labels,
      statistics.promptTokens,
    ),
    single(
      'counter',
      'sglang:generation_tokens_total',
      'Number of generation tokens processed.',
      labels,
      statistics.generatedTokens,
    ),
    histogram(
      'sglang:time_to_first_token_seconds',
      'Histogram of time to first token in seconds.',
      labels,
      statistics.firstTokenSeconds,
    ),
  ];
  return expose(families) + padding;
};
