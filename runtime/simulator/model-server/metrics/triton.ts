import { expose } from './exposition';
import { BLOCK_SIZE_LABEL, type Dialect, histogram } from './view';

/** Triton's page with the TensorRT-LLM backend: batch manager statistics, told apart by a label. */
export const triton: Dialect = ({ snapshot, statistics }, padding) => {
  const labels = { model: 'tensorrt_llm', version: '1' };
  const { waiting, running, usedBlocks, totalBlocks } = snapshot;
  const request = (type: string, value: number) => ({ labels: { ...labels, request_type: type }, value });
  const kv = (type: string, value: number) => ({ labels: { ...labels, kv_cache_block_type: type }, value });
  const families = [
    {
      name: 'nv_inference_request_success',
      type: 'counter' as const,
      help: 'Number of successful inference requests, all batch sizes',
      samples: [{ labels, value: statistics.finished }],
    },
    {
      name: 'nv_inference_pending_request_count',
      type: 'gauge' as const,
      help: 'Instantaneous number of pending requests awaiting execution per-model.',
      samples: [{ labels, value: waiting }],
    },
    {
      name: 'nv_trt_llm_request_metrics',
      type: 'gauge' as const,
      help: 'TRT LLM request metrics',
      samples: [request('waiting', waiting), request('scheduled', running), request('active', waiting + running)],
    },
    {
      name: 'nv_trt_llm_kv_cache_block_metrics',
      type: 'gauge' as const,
      help: 'TRT LLM KV cache block metrics',
      samples: [
        kv('fraction', snapshot.kvUsage),
        kv('tokens_per', Number(BLOCK_SIZE_LABEL)),
        kv('used', usedBlocks),
        kv('free', totalBlocks - usedBlocks),
        kv('max', totalBlocks),
      ],
    },
    histogram(
      'nv_llm_input_token_len',
      'TRT LLM response metrics',
      { ...labels, response_metric_type: 'total_input_tokens' },
      statistics.promptLengths,
    ),
    histogram(
      'nv_llm_output_token_len',
      'TRT LLM response metrics',
      { ...labels, response_metric_type: 'total_output_tokens' },
      statistics.generationLengths,
    ),
  ];
  return expose(families) + padding;
};
