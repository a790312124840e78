/** Length of a real vLLM server's page. */
const PAGE_BYTES = 53_308;
const BUSY_PAGES = 64;

export interface MetricsPages {
  readonly bytes: number;
  /** Nothing runs. */
  readonly idle: string;
  /** Pages of a pod at work, to be served in turn: running, waiting and KV cache usage move. */
  readonly busy: readonly string[];
}

/** Prometheus pages with vLLM's families, in its order and of a real page's length. */
export function createMetricsPages(model: string): MetricsPages {
  const busy = Array.from({ length: BUSY_PAGES }, (_, i) => page(model, 1 + (i % 7), i % 3, 0.1 + i / 100, i));
  return { bytes: PAGE_BYTES, idle: page(model, 0, 0, 0.05, 0), busy };
}

function page(model: string, running: number, waiting: number, kvUsage: number, progress: number): string {
  const labels = `engine="0",model_name="${model}"`;
  const lines: string[] = [];
  const family = (name: string, type: string) =>
    lines.push(`# HELP ${name} ${name.replaceAll(/[:_]/g, ' ')}, of this server.`, `# TYPE ${name} ${type}`);
  const gauge = (name: string, value: number, extra = labels) => {
    family(name, 'gauge');
    lines.push(`${name}{${extra}} ${value}`);
  };
  const counter = (name: string, value: number) => {
    family(name, 'counter');
    lines.push(`${name}_total{${labels}} ${value}.0`);
    family(`${name}_created`, 'gauge');
    lines.push(`${name}_created{${labels}} 1.7900000001234567e+09`);
  };
  const histogram = (name: string, bounds: readonly number[], extra = labels) => {
    for (const [i, bound] of bounds.entries()) lines.push(`${name}_bucket{${extra},le="${bound}"} ${progress * i}.0`);
    lines.push(`${name}_bucket{${extra},le="+Inf"} ${progress * bounds.length}.0`);
    lines.push(`${name}_count{${extra}} ${progress * bounds.length}.0`, `${name}_sum{${extra}} ${progress * 1.37}`);
  };

  for (const generation of [0, 1, 2]) {
    gauge('python_gc_objects_collected', 9_000 + progress, `generation="${generation}"`);
  }
  gauge('process_resident_memory_bytes', 5_421_154_304, '');
  gauge('vllm:num_requests_running', running);
  gauge('vllm:num_requests_waiting', waiting);
  gauge('vllm:engine_sleep_state', 0, `${labels},sleep_state="awake"`);
  gauge('vllm:kv_cache_usage_perc', Number(kvUsage.toFixed(4)));
  counter('vllm:prefix_cache_queries', progress * 900);
  counter('vllm:prefix_cache_hits', progress * 300);
  counter('vllm:num_preemptions', 0);
  counter('vllm:prompt_tokens', progress * 1_000);
  counter('vllm:generation_tokens', progress * 200);
  gauge('vllm:cache_config_info', 1, `block_size="16",cache_dtype="auto",${labels},num_gpu_blocks="27000"`);
  for (const [names, bounds] of [
    [TOKEN_HISTOGRAMS, TOKEN_BOUNDS] as const,
    [SECONDS_HISTOGRAMS, SECONDS_BOUNDS] as const,
  ]) {
    for (const name of names) {
      family(`vllm:${name}`, 'histogram');
      histogram(`vllm:${name}`, bounds);
    }
  }
  family('http_request_duration_seconds', 'histogram');
  for (let i = 0; length(lines) < PAGE_BYTES - 3_500; i++) {
    const path = PATHS[i % PATHS.length];
    const extra = `handler="${path}",method="POST",status="${200 + Math.floor(i / PATHS.length)}"`;
    histogram('http_request_duration_seconds', SECONDS_BOUNDS, extra);
  }
  return pad(lines);
}

function length(lines: readonly string[]): number {
  return lines.reduce((total, line) => total + line.length + 1, 0);
}

function pad(lines: readonly string[]): string {
  const text = `${lines.join('\n')}\n`;
  const filler = '# HELP http_requests_created Time of the first request of the series.\n';
  const padded = text + filler.repeat(Math.floor((PAGE_BYTES - text.length - 2) / filler.length));
  return `${padded}#${' '.repeat(PAGE_BYTES - padded.length - 2)}\n`;
}

const TOKEN_HISTOGRAMS = [
  'iteration_tokens_total',
  'request_prompt_tokens',
  'request_generation_tokens',
  'request_max_num_generation_tokens',
  'request_params_n',
  'request_params_max_tokens',
];
const TOKEN_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000];
const SECONDS_HISTOGRAMS = [
  'time_to_first_token_seconds',
  'inter_token_latency_seconds',
  'request_time_per_output_token_seconds',
  'e2e_request_latency_seconds',
  'request_queue_time_seconds',
  'request_inference_time_seconds',
  'request_prefill_time_seconds',
  'request_decode_time_seconds',
];
const SECONDS_BOUNDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2_560,
];
const PATHS = ['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/models', '/health', '/tokenize'];
