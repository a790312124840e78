import type { EngineType } from '../../../lib/translate/gateway-state';
import { type SampleName, sampleName } from './exposition';

/** Which samples of an engine's page carry which signal. */
export interface EngineSignals {
  readonly waiting: Signal;
  readonly running: Signal;
  readonly kvUsage: Signal;
  /** The gauge whose labels list the LoRA adapters; absent where the engine has none. */
  readonly adapters?: AdapterGauge;
}

/** Sources in order of preference: the first that is on the page counts. Empty: the engine does not tell it. */
export type Signal = readonly SignalSource[];

export interface SignalSource {
  readonly sample: SampleName;
  /** Only the series with this label value. */
  readonly where?: { readonly label: string; readonly value: string };
}

export interface AdapterGauge {
  readonly sample: SampleName;
  /** Labels: adapters as a comma-separated list, and the number of slots. */
  readonly running: string;
  readonly waiting: string;
  readonly slots: string;
}

function named(...names: string[]): Signal {
  return names.map((name) => ({ sample: sampleName(name) }));
}

function labelled(name: string, label: string, value: string): SignalSource {
  return { sample: sampleName(name), where: { label, value } };
}

const TRITON_REQUESTS = 'nv_trt_llm_request_metrics';

/** The names by engine. Text Generation Inference has no KV cache metric. */
export const ENGINE_SIGNALS: Readonly<Record<EngineType, EngineSignals>> = {
  vllm: {
    waiting: named('vllm:num_requests_waiting'),
    running: named('vllm:num_requests_running'),
    // The second is the name before vLLM 0.9.2.
    kvUsage: named('vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'),
    adapters: {
      sample: sampleName('vllm:lora_requests_info'),
      running: 'running_lora_adapters',
      waiting: 'waiting_lora_adapters',
      slots: 'max_lora',
    },
  },
  sglang: {
    waiting: named('sglang:num_queue_reqs'),
    running: named('sglang:num_running_reqs'),
    kvUsage: named('sglang:token_usage'),
  },
  tgi: {
    waiting: named('tgi_queue_size'),
    running: named('tgi_batch_current_size'),
    kvUsage: [],
  },
  trtllm: {
    waiting: named('trtllm_num_requests_waiting'),
    running: named('trtllm_num_requests_running'),
    kvUsage: named('trtllm_kv_cache_utilization'),
  },
  triton: {
    waiting: [
      labelled(TRITON_REQUESTS, 'request_type', 'waiting'),
      // Backends other than TensorRT-LLM.
      ...named('nv_inference_pending_request_count'),
    ],
    running: [labelled(TRITON_REQUESTS, 'request_type', 'scheduled')],
    kvUsage: [labelled('nv_trt_llm_kv_cache_block_metrics', 'kv_cache_block_type', 'fraction')],
  },
};
