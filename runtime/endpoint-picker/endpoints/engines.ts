import type { EngineType } from '../../../lib/translate/gateway-state';
import type { EngineCounters } from '../engine-metrics';

/** Which samples of an engine's page carry which signal. What an engine does not tell has no source. */
export interface EngineSignals {
  readonly waiting: Signal;
  readonly running: Signal;
  readonly kvUsage: Signal;
  /** In order of preference. */
  readonly kvCapacity: readonly CapacitySource[];
  /** Absent where the engine tells nothing of its LoRA adapters. */
  readonly adapters?: AdapterSources;
  readonly counters: Readonly<Partial<Record<keyof EngineCounters, Signal>>>;
}

/** Sources in order of preference: the first that is on the page counts. */
export type Signal = readonly SignalSource[];

export interface SignalSource {
  readonly sample: string;
  /** Only the series with this label value. */
  readonly where?: { readonly label: string; readonly value: string };
  /** Series that agree in this label, or lack it, tell of the same: the largest of them counts. */
  readonly oncePer?: string;
}

/** Tokens of the KV cache: told as such, as blocks and their size, or as two labels of an info series. */
export type CapacitySource =
  | { readonly tokens: SignalSource }
  | { readonly blocks: SignalSource; readonly blockTokens: SignalSource }
  | { readonly info: string; readonly blocksLabel: string; readonly blockTokensLabel: string };

export interface AdapterSources {
  readonly active: ActiveAdapters;
  /** In order of preference. */
  readonly loaded: readonly LoadedAdapters[];
  /** Number of slots; the label of `active` counts where this is not on the page. */
  readonly slots: Signal;
}

/** A gauge whose labels list the adapters of requests; its value is the time at which that was true last. */
export interface ActiveAdapters {
  readonly sample: string;
  /** Labels: adapters as a comma-separated list, and the number of slots. */
  readonly running: string;
  readonly waiting: string;
  readonly slots: string;
}

/** A gauge with one series for each adapter that occupies a slot, idle ones included. */
export interface LoadedAdapters extends SignalSource {
  /** The label with the adapter's name. */
  readonly adapter: string;
  /** A sample that is there also when no adapter is loaded: without series, it tells that none is. */
  readonly witness: string;
}

function named(...samples: string[]): Signal {
  return samples.map((sample) => ({ sample }));
}

function labelled(sample: string, label: string, value: string): SignalSource {
  return { sample, where: { label, value } };
}

/**
 * A gauge of SGLang: the data-parallel ranks have requests and a cache of their own. With priorities there are series for
 * each priority beside the total; with pipeline parallelism, and with `--enable-metrics-for-all-schedulers`, each process
 * of a rank tells the same.
 */
function ofDataRanks(sample: string): SignalSource {
  return { sample, oncePer: 'dp_rank' };
}

/** A counter, also without the suffix that some exporters leave out. */
function counter(name: string): Signal {
  return named(`${name}_total`, name);
}

const TRITON_REQUESTS = 'nv_trt_llm_request_metrics';
const TRITON_BLOCKS = 'nv_trt_llm_kv_cache_block_metrics';
const TGI_STEP = 'tgi_batch_inference_duration';

/** The names by engine. */
export const ENGINE_SIGNALS: Readonly<Record<EngineType, EngineSignals>> = {
  vllm: {
    waiting: named('vllm:num_requests_waiting'),
    running: named('vllm:num_requests_running'),
    // The second is the name before vLLM 0.9.2.
    kvUsage: named('vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'),
    kvCapacity: [{ info: 'vllm:cache_config_info', blocksLabel: 'num_gpu_blocks', blockTokensLabel: 'block_size' }],
    adapters: {
      active: {
        sample: 'vllm:lora_requests_info',
        running: 'running_lora_adapters',
        waiting: 'waiting_lora_adapters',
        slots: 'max_lora',
      },
      loaded: [
        {
          ...labelled('vllm:lora_adapter_loaded', 'level', 'gpu'),
          adapter: 'adapter_name',
          witness: 'vllm:num_gpu_loaded_lora_adapters',
        },
      ],
      slots: named('vllm:max_gpu_lora_adapters'),
    },
    counters: {
      promptTokens: counter('vllm:prompt_tokens'),
      // The first is counted with the prompt's tokens, the second when the request is scheduled. The name before
      // vLLM 0.9.2, gpu_prefix_cache_hits, is left out: it counted blocks first and tokens later.
      cachedTokens: [...counter('vllm:prompt_tokens_cached'), ...counter('vllm:prefix_cache_hits')],
      generatedTokens: counter('vllm:generation_tokens'),
      // A step that only computes a part of a prompt, and generates no token, is not counted by vLLM.
      steps: named('vllm:iteration_tokens_total_count'),
      firstTokenSum: named('vllm:time_to_first_token_seconds_sum'),
      firstTokenCount: named('vllm:time_to_first_token_seconds_count'),
      // The second is the name before vLLM 0.11.
      interTokenSum: named('vllm:inter_token_latency_seconds_sum', 'vllm:time_per_output_token_seconds_sum'),
      interTokenCount: named('vllm:inter_token_latency_seconds_count', 'vllm:time_per_output_token_seconds_count'),
      queueSum: named('vllm:request_queue_time_seconds_sum'),
      prefillSum: named('vllm:request_prefill_time_seconds_sum'),
      decodeSum: named('vllm:request_decode_time_seconds_sum'),
      finishedCount: named('vllm:request_prefill_time_seconds_count'),
    },
  },
  sglang: {
    waiting: [ofDataRanks('sglang:num_queue_reqs')],
    running: [ofDataRanks('sglang:num_running_reqs')],
    kvUsage: named('sglang:token_usage'),
    kvCapacity: [
      { tokens: ofDataRanks('sglang:max_total_num_tokens') },
      // Until SGLang 0.5.10, and after it.
      { info: 'sglang:cache_config_info', blocksLabel: 'num_pages', blockTokensLabel: 'page_size' },
      { blocks: ofDataRanks('sglang:num_pages'), blockTokens: { sample: 'sglang:page_size' } },
    ],
    counters: {
      // All three are counted at the request's end. Cached tokens have a series for each kind of cache.
      promptTokens: counter('sglang:prompt_tokens'),
      cachedTokens: counter('sglang:cached_tokens'),
      generatedTokens: counter('sglang:generation_tokens'),
      firstTokenSum: named('sglang:time_to_first_token_seconds_sum'),
      firstTokenCount: named('sglang:time_to_first_token_seconds_count'),
      // The second is an older name.
      interTokenSum: named('sglang:inter_token_latency_seconds_sum', 'sglang:time_per_output_token_seconds_sum'),
      interTokenCount: named('sglang:inter_token_latency_seconds_count', 'sglang:time_per_output_token_seconds_count'),
      queueSum: named('sglang:queue_time_seconds_sum'),
      finishedCount: named('sglang:queue_time_seconds_count'),
    },
  },
  tgi: {
    waiting: named('tgi_queue_size'),
    running: named('tgi_batch_current_size'),
    kvUsage: [],
    kvCapacity: [],
    counters: {
      // Counted when the request is validated.
      promptTokens: named('tgi_request_input_length_sum'),
      generatedTokens: named('tgi_request_generated_tokens_sum'),
      steps: named(`${TGI_STEP}_count`),
      // One observation a decode step. The mean time per token that TGI tells of a request contains its prefill.
      interTokenSum: [labelled(`${TGI_STEP}_sum`, 'method', 'decode')],
      interTokenCount: [labelled(`${TGI_STEP}_count`, 'method', 'decode')],
      queueSum: named('tgi_request_queue_duration_sum'),
      finishedCount: named('tgi_request_queue_duration_count'),
    },
  },
  trtllm: {
    waiting: named('trtllm_num_requests_waiting'),
    running: named('trtllm_num_requests_running'),
    kvUsage: named('trtllm_kv_cache_utilization'),
    kvCapacity: [
      {
        blocks: { sample: 'trtllm_kv_cache_max_blocks' },
        blockTokens: { sample: 'trtllm_kv_cache_tokens_per_block' },
      },
    ],
    counters: {
      promptTokens: counter('trtllm_prompt_tokens'),
      // Counted at the request's end, as the prompt is. Older versions lack it.
      cachedTokens: counter('trtllm_prompt_cached_tokens'),
      generatedTokens: counter('trtllm_generation_tokens'),
      firstTokenSum: named('trtllm_time_to_first_token_seconds_sum'),
      firstTokenCount: named('trtllm_time_to_first_token_seconds_count'),
      // One observation a request: its mean.
      interTokenSum: named('trtllm_time_per_output_token_seconds_sum'),
      interTokenCount: named('trtllm_time_per_output_token_seconds_count'),
      queueSum: named('trtllm_request_queue_time_seconds_sum'),
      prefillSum: named('trtllm_request_prefill_time_seconds_sum'),
      decodeSum: named('trtllm_request_decode_time_seconds_sum'),
      finishedCount: named('trtllm_request_queue_time_seconds_count'),
    },
  },
  triton: {
    waiting: [
      labelled(TRITON_REQUESTS, 'request_type', 'waiting'),
      // Backends other than TensorRT-LLM.
      ...named('nv_inference_pending_request_count'),
    ],
    running: [labelled(TRITON_REQUESTS, 'request_type', 'scheduled')],
    kvUsage: [labelled(TRITON_BLOCKS, 'kv_cache_block_type', 'fraction')],
    kvCapacity: [
      {
        blocks: labelled(TRITON_BLOCKS, 'kv_cache_block_type', 'max'),
        blockTokens: labelled(TRITON_BLOCKS, 'kv_cache_block_type', 'tokens_per'),
      },
    ],
    counters: {
      promptTokens: named('nv_llm_input_token_len_sum'),
      generatedTokens: named('nv_llm_output_token_len_sum'),
      finishedCount: named('nv_llm_input_token_len_count'),
    },
  },
};
