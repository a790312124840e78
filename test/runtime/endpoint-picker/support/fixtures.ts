import { schedulerWeights } from '../../../../lib/api/inference-gateway-config/scorer-weights';
import type {
  EndpointState,
  GatewayState,
  SchedulerState,
  ScorerWeights,
} from '../../../../lib/translate/gateway-state';
import type { PickRequest } from '../../../../runtime/endpoint-picker/endpoint-picker';
import {
  type AdapterResidency,
  type EngineCounters,
  type EngineMetrics,
  NO_COUNTERS,
} from '../../../../runtime/endpoint-picker/engine-metrics';
import type { MetricsSource, ScrapeTarget } from '../../../../runtime/endpoint-picker/metrics-source';
import type { PickerObserver } from '../../../../runtime/endpoint-picker/observe';
import { createPicker, type Picker, type PickerOptions } from '../../../../runtime/endpoint-picker/picker';
import { seededRandom } from '../../../../runtime/simulator/engine/seeded-random';

export { seededRandom };

/** The weights of a scheduler that names none. */
export const DEFAULT_WEIGHTS = schedulerWeights({});

/** Every scorer off. */
export const NO_WEIGHTS: ScorerWeights = {
  queue: 0,
  kvCache: 0,
  prefix: 0,
  lru: 0,
  loraAffinity: 0,
  runningRequests: 0,
  predictedLatency: 0,
};

/** Every scorer on. */
export const EVERY_WEIGHT: ScorerWeights = {
  queue: 1,
  kvCache: 1,
  prefix: 1,
  lru: 1,
  loraAffinity: 1,
  runningRequests: 1,
  predictedLatency: 1,
};

export function endpointStates(count: number): EndpointState[] {
  return Array.from({ length: count }, (_, i) => ({
    address: `10.0.${i >> 8}.${i & 255}:8000`,
    pod: `models/llama-${i}`,
    uid: `uid-${i}`,
    ready: true,
  }));
}

export function schedulerState(change: Partial<SchedulerState> = {}): SchedulerState {
  return {
    namespace: 'models',
    name: 'llama',
    modelName: 'llama',
    adapters: [],
    engine: 'vllm',
    weights: DEFAULT_WEIGHTS,
    overload: { maxQueueTimeMs: 30_000, retryAfterMinSeconds: 1, retryAfterMaxSeconds: 60 },
    endpoints: endpointStates(4),
    ...change,
  };
}

export function gatewayState(...schedulers: SchedulerState[]): GatewayState {
  return {
    gateway: 'models/gateway',
    bodyRouting: true,
    maxRequestBodyBytes: 268_435_456,
    explain: true,
    schedulers,
    rewrites: [],
  };
}

export function pickRequest(change: Partial<PickRequest> = {}): PickRequest {
  return { scheduler: 'models/llama', model: 'llama', promptBytes: 400, prefixHashes: [], explain: false, ...change };
}

/** An idle engine with a KV cache of a mid-sized GPU, which counts nothing unless told to. */
export function engineMetrics(change: Partial<EngineMetrics> = {}): EngineMetrics {
  return {
    waiting: 0,
    running: 0,
    kvUsage: 0,
    adapters: undefined,
    kvCapacityTokens: 400_000,
    counters: NO_COUNTERS,
    ...change,
  };
}

export function engineCounters(change: Partial<EngineCounters> = {}): EngineCounters {
  return { ...NO_COUNTERS, ...change };
}

/** Adapters of which requests run, and those that are loaded besides. */
export function residency(running: string[], slots: number, loaded?: string[]): AdapterResidency {
  return {
    running: new Set(running),
    waiting: new Set(),
    distinct: running.length,
    slots,
    ...(loaded !== undefined && { loaded: new Set(loaded) }),
  };
}

/** Metrics that a test hands to the picker itself, in place of scrapes. */
export interface ManualMetrics extends MetricsSource {
  readonly targets: Map<string, ScrapeTarget>;
  /** A scrape of the pod that is answered at once. */
  tell(pod: string, answer: EngineMetrics | 'no-metrics'): void;
  tellAll(answer: EngineMetrics | 'no-metrics'): void;
}

export function manualMetrics(): ManualMetrics {
  const targets = new Map<string, ScrapeTarget>();
  const metrics: ManualMetrics = {
    targets,
    watch(target) {
      targets.set(target.pod, target);
      target.paced(200);
      return {
        wake() {},
        stop() {
          if (targets.get(target.pod) === target) targets.delete(target.pod);
        },
      };
    },
    tell(pod, answer) {
      targets.get(pod)!.sent();
      targets.get(pod)!.answered(answer);
    },
    tellAll(answer) {
      for (const pod of targets.keys()) metrics.tell(pod, answer);
    },
    async close() {
      targets.clear();
    },
  };
  return metrics;
}

/** Everything that was observed, as one line each. */
export interface RecordingObserver extends PickerObserver {
  readonly lines: string[];
}

export function recordingObserver(): RecordingObserver {
  const lines: string[] = [];
  return {
    lines,
    picked: (scheduler, pod) => lines.push(`picked ${scheduler} ${pod}`),
    refused: (scheduler, kind) => lines.push(`refused ${scheduler} ${kind}`),
    servedElsewhere: (scheduler, kind) => lines.push(`served elsewhere ${scheduler} ${kind}`),
    retried: (scheduler, attempts) => lines.push(`retried ${scheduler} ${attempts}`),
    scraped: (scheduler, outcome) => lines.push(`scraped ${scheduler} ${outcome}`),
  };
}

/** A picker over manual metrics, whose clock stands still until it is moved. */
export interface PickerRig {
  readonly picker: Picker;
  readonly metrics: ManualMetrics;
  readonly observer: RecordingObserver;
  /** Milliseconds. */
  now: number;
}

export function pickerRig(...schedulers: SchedulerState[]): PickerRig {
  return pickerRigWith({}, ...schedulers);
}

export function pickerRigWith(options: Partial<PickerOptions>, ...schedulers: SchedulerState[]): PickerRig {
  const metrics = manualMetrics();
  const observer = recordingObserver();
  const rig = { metrics, observer, now: 100_000 } as { -readonly [key in keyof PickerRig]: PickerRig[key] };
  rig.picker = createPicker({
    state: gatewayState(...schedulers),
    metrics,
    clock: () => rig.now,
    random: seededRandom(7),
    observe: observer,
    ...options,
  });
  return rig;
}
