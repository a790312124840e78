/** Load as a vLLM server would show it. */
export interface VllmLoad {
  readonly waiting: number;
  readonly running: number;
  /** 0..1. */
  readonly kvUsage: number;
}

const LATENCY_BOUNDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 320, 640, 1280,
  2560,
];
const HISTOGRAMS = [
  'time_to_first_token_seconds',
  'inter_token_latency_seconds',
  'request_time_per_output_token_seconds',
  'e2e_request_latency_seconds',
  'request_queue_time_seconds',
  'request_inference_time_seconds',
  'request_prefill_time_seconds',
  'request_decode_time_seconds',
  'request_prompt_tokens',
  'request_generation_tokens',
  'iteration_tokens_total',
  'request_max_num_generation_tokens',
  'request_params_max_tokens',
  'request_prefill_kv_computed_tokens',
];
const HTTP_HANDLERS = ['/v1/chat/completions', '/metrics'];
const LABELS = 'engine="0",model_name="meta-llama/Llama-3.1-8B-Instruct"';

/** A metrics page of the size and order of a real vLLM server's: about 53 KB, most of it histogram buckets. */
export function vllmPage({ waiting, running, kvUsage }: VllmLoad): Buffer {
  const lines: string[] = [];
  const family = (name: string, type: string, samples: string[]) => {
    lines.push(`# HELP ${name} Text that describes ${name} in a sentence.`, `# TYPE ${name} ${type}`, ...samples);
  };
  const gauge = (name: string, value: number) => family(name, 'gauge', [`${name}{${LABELS}} ${value.toFixed(6)}`]);

  for (const generation of [0, 1, 2]) {
    family(`python_gc_objects_collected_total_${generation}`, 'counter', [
      `python_gc_objects_collected_total{generation="${generation}"} 12345.0`,
    ]);
  }
  gauge('process_resident_memory_bytes', 1.2e9);
  gauge('vllm:num_requests_running', running);
  gauge('vllm:num_requests_waiting', waiting);
  family('vllm:num_requests_waiting_by_reason', 'gauge', [
    `vllm:num_requests_waiting_by_reason{${LABELS},reason="capacity"} ${waiting.toFixed(1)}`,
    `vllm:num_requests_waiting_by_reason{${LABELS},reason="deferred"} 0.0`,
  ]);
  gauge('vllm:engine_sleep_state', 0);
  gauge('vllm:kv_cache_usage_perc', kvUsage);
  for (const name of ['prefix_cache_queries', 'prefix_cache_hits', 'num_preemptions', 'prompt_tokens']) {
    family(`vllm:${name}_total`, 'counter', [`vllm:${name}_total{${LABELS}} 8.163281e+06`]);
  }
  for (const name of HISTOGRAMS) {
    family(`vllm:${name}`, 'histogram', histogram(`vllm:${name}`, LABELS));
  }
  for (const handler of HTTP_HANDLERS) {
    const name = 'http_request_duration_seconds';
    family(name, 'histogram', histogram(name, `handler="${handler}",method="POST"`));
  }
  family('vllm:cache_config_info', 'gauge', [
    'vllm:cache_config_info{block_size="16",cache_dtype="auto",engine="0",gpu_memory_utilization="0.9",num_gpu_blocks="27447"} 1.0',
  ]);
  return Buffer.from(`${lines.join('\n')}\n`);
}

function histogram(name: string, labels: string): string[] {
  const buckets = LATENCY_BOUNDS.map((bound, i) => `${name}_bucket{${labels},le="${bound}"} ${(i * 1731).toFixed(1)}`);
  return [
    ...buckets,
    `${name}_bucket{${labels},le="+Inf"} 41544.0`,
    `${name}_count{${labels}} 41544.0`,
    `${name}_sum{${labels}} 98213.27365`,
  ];
}
