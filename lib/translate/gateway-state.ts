/**
 * What the router and the pickers know of the world, compiled from the objects. Plain data: it crosses processes as JSON.
 */
export interface GatewayState {
  /** InferenceGatewayConfig as `namespace/name`. */
  readonly gateway: string;
  /** `spec.bbr.enabled`; when false there is one scheduler, and it gets every request whatever its model. */
  readonly bodyRouting: boolean;
  /** `spec.bbr.maxRequestBodyBytes`. */
  readonly maxRequestBodyBytes: number;
  /** `spec.bbr.defaultBackend`: requests for unknown models go there. */
  readonly defaultBackend?: { readonly name: string; readonly port: number };
  /** A client may ask for `x-gateway-decision`. */
  readonly explain: boolean;
  /** One decision of each scheduler in this time is logged in full. Milliseconds; absent or 0: none is. */
  readonly explainLogIntervalMs?: number;
  /**
   * Verified tokens say what a request's objective and tenant are (`spec.auth.jwt.claims`): Envoy writes the headers from
   * them, and removes what a client sent. Absent or false: the headers are the client's own.
   */
  readonly claims?: boolean;
  readonly schedulers: readonly SchedulerState[];
  /** In order of precedence: exact matches are looked up before generic ones, the oldest object first. */
  readonly rewrites: readonly RewriteState[];
}

/** How the parts of the gateway call a scheduler: `namespace/name`. */
export function schedulerName({ namespace, name }: Pick<SchedulerState, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

export interface SchedulerState {
  readonly namespace: string;
  readonly name: string;
  /** The base model; absent only where one scheduler takes every model. */
  readonly modelName?: string;
  /** LoRA adapters of `modelName`: `spec.schedulers[].loraAdapters` and the bbr-managed ConfigMaps, trimmed, unique. */
  readonly adapters: readonly string[];
  readonly engine: EngineType;
  readonly weights: ScorerWeights;
  readonly overload: OverloadState;
  /** `InferenceObjective`s of this scheduler's pool, by name; one name comes once. */
  readonly objectives?: readonly ObjectiveState[];
  /** Absent: no request waits in the gateway for its turn. */
  readonly flowControl?: FlowControlState;
  /** Absent: `{ attempts: 2, afterDispatch: true }`. */
  readonly retry?: RetryState;
  /** Milliseconds; 0 is off; absent is the gateway's default. */
  readonly routeTimeoutMs?: number;
  /** How the pods speak HTTP: HTTP/1.1, or HTTP/2 without TLS. Absent is `http`. */
  readonly appProtocol?: 'http' | 'kubernetes.io/h2c';
  readonly endpoints: readonly EndpointState[];
}

export type EngineType = 'vllm' | 'sglang' | 'tgi' | 'trtllm' | 'triton';

/** Non-negative weights of the scorers; 0 leaves a scorer out. */
export interface ScorerWeights {
  readonly queue: number;
  readonly kvCache: number;
  readonly prefix: number;
  readonly lru: number;
  readonly loraAffinity: number;
  readonly runningRequests: number;
  readonly predictedLatency: number;
}

export interface OverloadState {
  /** A request that no pod can start within this time is refused with 429. Milliseconds. */
  readonly maxQueueTimeMs: number;
  /** Clamp of Retry-After. Whole seconds. */
  readonly retryAfterMinSeconds: number;
  readonly retryAfterMaxSeconds: number;
  /** A request for a pool without a ready pod waits so long for the first one. Milliseconds; absent or 0: not at all. */
  readonly emptyPoolHoldMs?: number;
}

export interface ObjectiveState {
  readonly name: string;
  /** Above 0 is Critical, 0 Standard, below 0 Sheddable. */
  readonly priority: number;
}

export type Band = 'critical' | 'standard' | 'sheddable';

/** Bands, the most important first. */
export const BANDS = ['critical', 'standard', 'sheddable'] as const satisfies readonly Band[];

export interface FlowControlState {
  readonly bands: Readonly<Record<Band, BandLimits>>;
  /** Bytes of request bodies that may wait in the queues of all bands together. */
  readonly maxBytes: number;
  /** Tenants of one band that have a queue of their own at one time; the others share one. */
  readonly maxTenants: number;
  /** A client's headers are believed, also where they raise a priority. */
  readonly trustClientHeaders: boolean;
}

export interface BandLimits {
  /** A request that has waited so long is refused. Milliseconds. */
  readonly ttlMs: number;
  readonly maxRequests: number;
  readonly maxBytes: number;
}

export interface RetryState {
  /** Further endpoints tried, 0 to 2, before response headers have come. */
  readonly attempts: number;
  /** Also when the connection broke after the request was sent: a generation may then have begun twice. */
  readonly afterDispatch: boolean;
}

export interface EndpointState {
  /** `ip:port`; IPv6 in brackets. */
  readonly address: string;
  /** `namespace/name` of the pod. */
  readonly pod: string;
  /** The pod's uid where it has one: a new pod at an old address is another endpoint. */
  readonly uid?: string;
  /** The Ready condition, and no deletionTimestamp. */
  readonly ready: boolean;
  /** Port at the pod's IP where its metrics page is; absent where its engine serves that at the usual port. */
  readonly metricsPort?: number;
  /** Port at the pod's IP where its engine publishes KV cache events over ZMQ; absent where it does not. */
  readonly kvEventsPort?: number;
  /** Port at the pod's IP where the engine sends KV cache events again; only with `kvEventsPort`. */
  readonly kvReplayPort?: number;
}

export interface RewriteState {
  /** `namespace/name` of the InferenceModelRewrite. */
  readonly name: string;
  /** The scheduler that `spec.poolRef` names, as `namespace/name`. */
  readonly scheduler: string;
  /** Model names matched exactly; empty is a generic rule, which matches every model of its scheduler. */
  readonly models: readonly string[];
  /** At least one; weights at least 1. */
  readonly targets: ReadonlyArray<{ readonly model: string; readonly weight: number }>;
}
