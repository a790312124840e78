import type { ScorerWeights } from '../../gateway-state';

/** What a plugin is for: a reference must lead to one of the right role. */
export type Role =
  | 'scorer'
  | 'picker'
  | 'profile handler'
  | 'data producer'
  | 'data source'
  | 'extractor'
  | 'parser'
  | 'saturation detector'
  | 'fairness policy'
  | 'ordering policy'
  | 'usage limit policy';

export type Plugin =
  | { readonly role: 'scorer'; readonly scorer: keyof ScorerWeights }
  /** Our picker does this in any case; `instead` says what it does where that is not quite the same. */
  | { readonly role: Exclude<Role, 'scorer'>; readonly instead?: string }
  /** Why it is refused, and what to do, as clauses. */
  | { readonly refused: string };

const scorer = (name: keyof ScorerWeights): Plugin => ({ role: 'scorer', scorer: name });
const builtIn = (role: Exclude<Role, 'scorer'>, instead?: string): Plugin =>
  instead === undefined ? { role } : { role, instead };
const refused = (reason: string): Plugin => ({ refused: reason });

const HIGHEST =
  'this picker takes the highest score: use max-score-picker, which of equal scores takes the pod with fewest requests';
const TURNS = 'tenants of a band take turns here, in equal shares of tokens';
const HELD_BACK = 'this gateway holds lower bands back by a rule of its own';
const ONE_STAGE = 'prefill and decode on separate pods are not supported: give each model one kind of pod';
const BY_LABEL = 'this picker does not filter by labels or attributes of pods: narrow modelSelector instead';
const BY_PLACE = 'this picker does not know where clients and pods are: make a scheduler for each place';
const SESSIONS =
  'this picker keeps no sessions: use prefix-cache-scorer, which brings the next turn of a conversation to the pod that has its prefix cached';
const CLUSTERS = 'this picker knows the pods of one cluster: use the plugin of the same name without multicluster-';
const NO_PODS_FROM = 'pods come from the objects, by modelSelector: remove it';
const LATENCY = 'use latency-scorer, which estimates the time to the first token of each pod';
const NO_SLO = 'this gateway reads no latency objectives of requests';
const NO_EVICTION = 'this gateway ends no running request for another: remove it';
const OWN_SYNC = 'replicas of this picker tell each other of every pick without it: remove it';

/** Every plugin type of the Gateway API Inference Extension 1.5 and of llm-d-router. */
export const PLUGINS: ReadonlyMap<string, Plugin> = new Map([
  ['queue-scorer', scorer('queue')],
  ['kv-cache-utilization-scorer', scorer('kvCache')],
  ['prefix-cache-scorer', scorer('prefix')],
  ['no-hit-lru-scorer', scorer('lru')],
  ['lora-affinity-scorer', scorer('loraAffinity')],
  ['running-requests-size-scorer', scorer('runningRequests')],
  ['latency-scorer', scorer('predictedLatency')],
  ['predicted-latency-scorer', scorer('predictedLatency')],
  ['precise-prefix-cache-scorer', refused('use prefix-cache-scorer, which is precise for pods that publish KV events')],
  ['token-load-scorer', refused(`tokens in flight are not scored by themselves: ${LATENCY}`)],
  ['load-aware-scorer', refused('a threshold of waiting requests is not scored: use queue-scorer')],
  ['active-request-scorer', refused('use running-requests-size-scorer, which scores requests that run')],
  ['session-affinity-scorer', refused(SESSIONS)],
  ['context-length-aware', refused('pods are not told apart by context length: make a scheduler for each kind of pod')],
  ['endpoint-attribute-scorer', refused(BY_LABEL)],
  ['header-label-affinity-scorer', refused(BY_LABEL)],
  ['topology-affinity-scorer', refused(BY_PLACE)],
  ['mm-embeddings-cache-scorer', refused('caches of embeddings are not followed: use prefix-cache-scorer')],
  ['mm-cache-affinity', refused('caches of embeddings are not followed: use prefix-cache-scorer')],
  ['multicluster-queue-scorer', refused(CLUSTERS)],
  ['multicluster-kv-cache-utilization-scorer', refused(CLUSTERS)],
  ['multicluster-prefix-cache-scorer', refused(CLUSTERS)],

  ['max-score-picker', builtIn('picker')],
  ['random-picker', refused(HIGHEST)],
  ['weighted-random-picker', refused(HIGHEST)],

  ['single-profile-handler', builtIn('profile handler')],
  ['header-profile-handler', refused('this picker runs one profile: make a scheduler for each')],
  ['data-parallel-profile-handler', refused('each rank must be a pod of its own: let modelSelector select them')],
  ['pd-profile-handler', refused(ONE_STAGE)],
  ['disagg-profile-handler', refused(ONE_STAGE)],
  ['disagg-headers-handler', refused(ONE_STAGE)],
  ['prefill-header-handler', refused(ONE_STAGE)],
  ['always-disagg-pd-decider', refused(ONE_STAGE)],
  ['always-disagg-multimodal-decider', refused(ONE_STAGE)],
  ['prefix-based-pd-decider', refused(ONE_STAGE)],
  ['prefill-filter', refused(ONE_STAGE)],
  ['decode-filter', refused(ONE_STAGE)],
  ['encode-filter', refused(ONE_STAGE)],
  ['p2p-source-producer', refused('KV cache is not moved between pods: remove it')],

  ['by-label', refused(BY_LABEL)],
  ['by-label-selector', refused(BY_LABEL)],
  ['label-selector-filter', refused(BY_LABEL)],
  ['endpoint-attribute-filter', refused(BY_LABEL)],
  ['topology-affinity-filter', refused(BY_PLACE)],
  ['session-affinity-filter', refused(SESSIONS)],
  ['multicluster-session-affinity-filter', refused(SESSIONS)],
  ['prefix-cache-affinity-filter', refused('prefixes are scored, and filter no pod: use prefix-cache-scorer')],
  ['slo-headroom-tier-filter', refused(`${NO_SLO}: ${LATENCY}`)],
  ['utilization-filter', refused('load is scored, and filters no pod: use queue-scorer')],
  ['header-based-testing-filter', refused('it is for tests: a client must not choose its pod')],
  ['destination-endpoint-served-verifier', refused('it is for tests: remove it')],
  [
    'disaggregatedset-rollout-screener',
    refused('roll-outs are not followed by it: the Ready condition of pods counts'),
  ],
  [
    'disaggregatedset-rollout-pod-extractor',
    refused('roll-outs are not followed by it: the Ready condition of pods counts'),
  ],

  [
    'latency-slo-admitter',
    refused(`${NO_SLO}: spec.overload.maxQueueTime bounds how long a request may wait for a pod`),
  ],
  ['probabilistic-admitter', refused('requests are not refused by chance: set spec.overload.maxQueueTime')],

  ['approx-prefix-cache-producer', builtIn('data producer')],
  ['predicted-latency-producer', builtIn('data producer')],
  ['inflight-load-producer', builtIn('data producer')],
  ['precise-prefix-cache-producer', builtIn('data producer', 'the annotations of pods say where KV events come from')],
  ['token-producer', builtIn('data producer', 'pods that publish KV events are asked for the tokens of a prompt')],
  ['tokenizer', builtIn('data producer', 'pods that publish KV events are asked for the tokens of a prompt')],
  ['burst-prefix-cache-producer', refused('use approx-prefix-cache-producer, which counts prompts on their way too')],
  ['multicluster-approx-prefix-cache-producer', refused(CLUSTERS)],
  ['mm-embeddings-cache-producer', refused('caches of embeddings are not followed: remove it')],
  ['session-id-producer', refused(SESSIONS)],
  ['agent-identity', refused('agents are not told apart: name the tenant in x-gateway-inference-fairness-id')],

  ['metrics-data-source', builtIn('data source')],
  ['core-metrics-extractor', builtIn('extractor')],
  ['endpoint-notification-source', builtIn('data source', 'pods are followed in any case')],
  ['k8s-notification-source', refused(NO_PODS_FROM)],
  ['models-data-source', refused('the models of pods are not asked for: name adapters in loraAdapters or a ConfigMap')],
  [
    'models-data-extractor',
    refused('the models of pods are not asked for: name adapters in loraAdapters or a ConfigMap'),
  ],
  ['dcgm-data-source', refused('metrics of GPUs are not read: those of the model server are')],
  ['dcgm-extractor', refused('metrics of GPUs are not read: those of the model server are')],
  ['topology-extractor', refused(BY_PLACE)],
  ['multicluster-metrics-data-source', refused(CLUSTERS)],
  ['multicluster-metrics-extractor', refused(CLUSTERS)],
  ['file-discovery', refused(NO_PODS_FROM)],
  ['multicluster-file-discovery', refused(NO_PODS_FROM)],
  ['local-syncer', refused(OWN_SYNC)],
  ['cross-replica-publisher', refused(OWN_SYNC)],

  ['openai-parser', builtIn('parser')],
  ['anthropic-parser', builtIn('parser')],
  ['vllmhttp-parser', builtIn('parser')],
  ['passthrough-parser', builtIn('parser', 'with bbr enabled a body that names no model is answered with 400')],
  ['sglanghttp-parser', builtIn('parser', 'with bbr enabled a body that names no model is answered with 400')],
  ['vllmgrpc-parser', refused('bodies are JSON or forms, and no gRPC messages: use openai-parser')],
  ['vertexai-parser', refused('the model is read from the body, and not from the path: use openai-parser')],
  ['request-attribute-reporter', refused('usage is not written into metadata of the proxy: remove it')],

  ['utilization-detector', builtIn('saturation detector')],
  [
    'concurrency-detector',
    refused('a pod is full when its model server says so: use utilization-detector, and bound the batch of the server'),
  ],
  ['fcfs-ordering-policy', builtIn('ordering policy')],
  // All requests of a band have the same TTL: their deadlines are in the order of their arrival.
  ['edf-ordering-policy', builtIn('ordering policy')],
  ['slo-deadline-ordering-policy', refused(`${NO_SLO}: use fcfs-ordering-policy`)],
  ['global-strict-fairness-policy', builtIn('fairness policy', TURNS)],
  ['round-robin-fairness-policy', builtIn('fairness policy', TURNS)],
  ['program-aware-fairness', refused('programs are not told apart: use round-robin-fairness-policy, by tenant')],
  ['static-usage-limit-policy', builtIn('usage limit policy')],
  ['priority-holdback-policy', builtIn('usage limit policy', HELD_BACK)],
  ['soft-reflective-ceiling-policy', refused(`${HELD_BACK}: use static-usage-limit-policy`)],
  ['sheddable-eviction-filter', refused(NO_EVICTION)],
  ['priority-then-time-eviction-order-policy', refused(NO_EVICTION)],
]);
