import type { EngineParameters } from './parameters';

/** An engine's parameters for one model on one kind of instance, with where they come from and how far to trust them. */
export interface EngineProfile {
  /** The model's public name, a server's default for `model`. */
  readonly model: string;
  readonly hardware: string;
  readonly parameters: EngineParameters;
  readonly source: string;
  /** Relative error to expect of step and prefill times; repeat a conclusion with parameters moved by this much. */
  readonly uncertainty: number;
}

/** What all profiles share. The front end and per-sequence costs fit published TTFT of vLLM; adapter load time is an assumption (a rank-16 adapter from local disk). */
const COMMON = {
  stepOverheadSeconds: 0.00125,
  weightsFloorGrowthSeconds: 0,
  perSequenceSeconds: 4.4e-6,
  maxLora: 4,
  adapterLoadSeconds: 0.3,
  frontEndSeconds: 0.015,
  frontEndSecondsPerToken: 15e-6,
  stepSpread: 0.05,
};

/** vLLM's defaults for the API server by GPU memory: 70 GiB or more (not A100), and the others. */
const LARGE_GPU = { maxNumSeqs: 1024, maxNumBatchedTokens: 8192 };
const SMALL_GPU = { maxNumSeqs: 256, maxNumBatchedTokens: 2048 };

/** A dense model reads all its weights in every step. */
function denseFloor(seconds: number): Pick<EngineParameters, 'weightsFloorSeconds' | 'weightsFloorLimitSeconds'> {
  return { weightsFloorSeconds: seconds, weightsFloorLimitSeconds: seconds };
}

/** A mixture of experts reads more of them with each sequence, until it reads all (8 of 128 experts are active per token). */
function expertsFloor(
  single: number,
  all: number,
): Pick<EngineParameters, 'weightsFloorSeconds' | 'weightsFloorGrowthSeconds' | 'weightsFloorLimitSeconds'> {
  return { weightsFloorSeconds: single, weightsFloorGrowthSeconds: all / 16, weightsFloorLimitSeconds: all };
}

/** The profiles by name. Times per step are for BF16 unless named FP8. */
export const ENGINE_PROFILES = {
  'llama-8b-h100': {
    model: 'meta-llama/Llama-3.1-8B-Instruct',
    hardware: '1x H100 SXM 80 GB',
    parameters: {
      ...COMMON,
      ...LARGE_GPU,
      ...denseFloor(0.00595),
      prefillTokensPerSecond: 33_000,
      kvReadSecondsPerToken: 39e-9,
      kvTokens: 439_000,
      maxModelLen: 131_072,
    },
    source: 'GPUStack benchmarks (Qwen3-8B single stream 7.2 ms a token, MFU 0.45-0.68); KV from the memory formula',
    uncertainty: 0.2,
  },
  'llama-8b-a10g': {
    model: 'meta-llama/Llama-3.1-8B-Instruct',
    hardware: '1x A10G 24 GB (g5)',
    parameters: {
      ...COMMON,
      ...SMALL_GPU,
      ...denseFloor(0.03),
      prefillTokensPerSecond: 2_400,
      kvReadSecondsPerToken: 218e-9,
      kvTokens: 31_000,
      maxModelLen: 16_384,
    },
    source:
      'memory bandwidth and FLOPS of the data sheet; checked against 8x g5.xlarge Qwen2.5-7B, 343-803 tok/s a pod',
    uncertainty: 0.3,
  },
  'llama-70b-4xh100': {
    model: 'meta-llama/Llama-3.3-70B-Instruct',
    hardware: '4x H100 SXM 80 GB, TP4',
    parameters: {
      ...COMMON,
      ...LARGE_GPU,
      ...denseFloor(0.0105),
      prefillTokensPerSecond: 15_000,
      kvReadSecondsPerToken: 24e-9,
      kvTokens: 461_376,
      maxModelLen: 131_072,
    },
    source: 'llm-d capacity study (KV measured; inter-token latency 13-29 ms reproduced)',
    uncertainty: 0.15,
  },
  'llama-70b-8xh100': {
    model: 'meta-llama/Llama-3.3-70B-Instruct',
    hardware: '8x H100 SXM 80 GB, TP8',
    parameters: {
      ...COMMON,
      ...LARGE_GPU,
      ...denseFloor(0.0083),
      prefillTokensPerSecond: 25_000,
      kvReadSecondsPerToken: 12e-9,
      kvTokens: 1_330_000,
      maxModelLen: 131_072,
    },
    source: 'derived from TP4: half the weight read plus about 3 ms of TP communication',
    uncertainty: 0.25,
  },
  'qwen3-32b-2xh100': {
    model: 'Qwen/Qwen3-32B',
    hardware: '2x H100 SXM 80 GB, TP2',
    parameters: {
      ...COMMON,
      ...LARGE_GPU,
      ...denseFloor(0.0098),
      prefillTokensPerSecond: 18_000,
      kvReadSecondsPerToken: 39e-9,
      kvTokens: 307_328,
      maxModelLen: 40_960,
    },
    source: 'llm-d capacity study (KV and prefill 15,928-20,480 tok/s measured; inter-token latency reproduced)',
    uncertainty: 0.1,
  },
  'qwen3-32b-1xh100': {
    model: 'Qwen/Qwen3-32B',
    hardware: '1x H100 SXM 80 GB',
    parameters: {
      ...COMMON,
      ...LARGE_GPU,
      ...denseFloor(0.0196),
      prefillTokensPerSecond: 9_000,
      kvReadSecondsPerToken: 78e-9,
      kvTokens: 33_000,
      maxModelLen: 32_768,
    },
    source:
      'half of the TP2 figures; optimistic: GPUStack (vLLM 0.11) got 5.6 req/s and 70 ms a token on ShareGPT, this about 10',
    uncertainty: 0.5,
  },
  'qwen3-32b-8xa10g': {
    model: 'Qwen/Qwen3-32B',
    hardware: '8x A10G 24 GB, TP8 over PCIe (g5.48xlarge)',
    parameters: {
      ...COMMON,
      ...SMALL_GPU,
      ...denseFloor(0.029),
      prefillTokensPerSecond: 3_250,
      kvReadSecondsPerToken: 55e-9,
      kvTokens: 350_000,
      maxModelLen: 40_960,
    },
    source: 'derived: 14 ms of weight reads plus about 15 ms of PCIe all-reduce',
    uncertainty: 0.4,
  },
  'qwen3-235b-8xh100': {
    model: 'Qwen/Qwen3-235B-A22B',
    hardware: '8x H100 SXM 80 GB, TP8',
    parameters: {
      ...COMMON,
      ...LARGE_GPU,
      ...expertsFloor(0.009, 0.018),
      prefillTokensPerSecond: 22_500,
      kvReadSecondsPerToken: 14e-9,
      kvTokens: 265_000,
      maxModelLen: 40_960,
    },
    source: 'GPUStack: 21-24k tok/s of prefill at 2k-32k prompts; KV heads replicated at TP8',
    uncertainty: 0.2,
  },
  'qwen3-235b-fp8-4xh100': {
    model: 'Qwen/Qwen3-235B-A22B-FP8',
    hardware: '4x H100 SXM 80 GB, TP4',
    parameters: {
      ...COMMON,
      ...LARGE_GPU,
      ...expertsFloor(0.0085, 0.017),
      prefillTokensPerSecond: 17_000,
      kvReadSecondsPerToken: 14e-9,
      kvTokens: 178_880,
      maxModelLen: 40_960,
    },
    source: 'GPUStack: 15.4-18.9k tok/s of prefill; KV of vLLM issue 21348',
    uncertainty: 0.2,
  },
} as const satisfies Record<string, EngineProfile>;

/** The name of a profile. */
export type EngineProfileName = keyof typeof ENGINE_PROFILES;
