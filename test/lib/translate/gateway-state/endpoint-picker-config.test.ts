import { parseEndpointPickerConfig } from '../../../../lib/translate/gateway-state/endpoint-picker-config';

const HEAD = { apiVersion: 'inference.networking.x-k8s.io/v1alpha1', kind: 'EndpointPickerConfig' };
/** Fields that are wrong too. */
type Fields = Readonly<Record<string, unknown>>;
const parse = (fields: object, scheduler: 'llm-d' | 'epp' = 'llm-d') =>
  parseEndpointPickerConfig(JSON.stringify({ ...HEAD, ...fields }), scheduler);

/** The configuration that the upstream picker runs with when it is given none. */
const UPSTREAM_DEFAULT = `
apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: prefix-cache-scorer
- type: metrics-data-source
- type: core-metrics-extractor
- type: max-score-picker
- type: single-profile-handler
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: queue-scorer
    weight: 2
  - pluginRef: kv-cache-utilization-scorer
    weight: 2
  - pluginRef: prefix-cache-scorer
    weight: 3
  - pluginRef: max-score-picker
dataLayer:
  sources:
  - pluginRef: metrics-data-source
    extractors:
    - pluginRef: core-metrics-extractor
`;

/** Every type that the pickers of GIE 1.5 and of llm-d register. */
const UPSTREAM_TYPES = [
  ...['active-request-scorer', 'agent-identity', 'always-disagg-multimodal-decider', 'always-disagg-pd-decider'],
  ...['anthropic-parser', 'approx-prefix-cache-producer', 'burst-prefix-cache-producer', 'by-label'],
  ...['by-label-selector', 'concurrency-detector', 'context-length-aware', 'core-metrics-extractor'],
  ...['cross-replica-publisher', 'data-parallel-profile-handler', 'dcgm-data-source', 'dcgm-extractor'],
  ...['decode-filter', 'destination-endpoint-served-verifier', 'disagg-headers-handler', 'disagg-profile-handler'],
  ...['disaggregatedset-rollout-pod-extractor', 'disaggregatedset-rollout-screener', 'edf-ordering-policy'],
  ...['encode-filter', 'endpoint-attribute-filter', 'endpoint-attribute-scorer', 'endpoint-notification-source'],
  ...['fcfs-ordering-policy', 'file-discovery', 'global-strict-fairness-policy', 'header-based-testing-filter'],
  ...['header-label-affinity-scorer', 'header-profile-handler', 'inflight-load-producer', 'k8s-notification-source'],
  ...['kv-cache-utilization-scorer', 'label-selector-filter', 'latency-scorer', 'latency-slo-admitter'],
  ...['load-aware-scorer', 'local-syncer', 'lora-affinity-scorer', 'max-score-picker', 'metrics-data-source'],
  ...['mm-embeddings-cache-producer', 'mm-embeddings-cache-scorer', 'models-data-extractor', 'models-data-source'],
  ...['multicluster-approx-prefix-cache-producer', 'multicluster-file-discovery', 'multicluster-queue-scorer'],
  ...['multicluster-kv-cache-utilization-scorer', 'multicluster-metrics-data-source', 'multicluster-metrics-extractor'],
  ...['multicluster-prefix-cache-scorer', 'multicluster-session-affinity-filter', 'no-hit-lru-scorer', 'openai-parser'],
  ...['p2p-source-producer', 'passthrough-parser', 'pd-profile-handler', 'precise-prefix-cache-producer'],
  ...['precise-prefix-cache-scorer', 'predicted-latency-producer', 'predicted-latency-scorer', 'prefill-filter'],
  ...['prefill-header-handler', 'prefix-based-pd-decider', 'prefix-cache-affinity-filter', 'prefix-cache-scorer'],
  ...['priority-holdback-policy', 'priority-then-time-eviction-order-policy', 'probabilistic-admitter'],
  ...['program-aware-fairness', 'queue-scorer', 'random-picker', 'request-attribute-reporter'],
  ...['round-robin-fairness-policy', 'running-requests-size-scorer', 'session-affinity-filter'],
  ...['session-affinity-scorer', 'session-id-producer', 'sglanghttp-parser', 'sheddable-eviction-filter'],
  ...['single-profile-handler', 'slo-deadline-ordering-policy', 'slo-headroom-tier-filter'],
  ...[
    'soft-reflective-ceiling-policy',
    'static-usage-limit-policy',
    'token-load-scorer',
    'token-producer',
    'tokenizer',
  ],
  ...['topology-affinity-filter', 'topology-affinity-scorer', 'topology-extractor', 'utilization-detector'],
  ...['utilization-filter', 'vertexai-parser', 'vllmgrpc-parser', 'vllmhttp-parser', 'weighted-random-picker'],
];

const NONE = { queue: 0, kvCache: 0, prefix: 0, lru: 0, loraAffinity: 0, runningRequests: 0, predictedLatency: 0 };

describe('parseEndpointPickerConfig', () => {
  it('reads the upstream default', () => {
    expect(parseEndpointPickerConfig(UPSTREAM_DEFAULT, 'epp')).toEqual({
      weights: { ...NONE, queue: 2, kvCache: 2, prefix: 3 },
      warnings: [],
    });
  });

  it.each([
    ['queue-scorer', 'queue'],
    ['kv-cache-utilization-scorer', 'kvCache'],
    ['prefix-cache-scorer', 'prefix'],
    ['no-hit-lru-scorer', 'lru'],
    ['lora-affinity-scorer', 'loraAffinity'],
    ['running-requests-size-scorer', 'runningRequests'],
    ['latency-scorer', 'predictedLatency'],
    ['predicted-latency-scorer', 'predictedLatency'],
  ])('takes %s for %s, under a name of its own', (type, scorer) => {
    const plugins = [{ name: 'mine', type }];
    const schedulingProfiles = [{ name: 'p', plugins: [{ pluginRef: 'mine', weight: 1.5 }] }];
    expect(parse({ plugins, schedulingProfiles })).toEqual({ weights: { ...NONE, [scorer]: 1.5 }, warnings: [] });
  });

  it('counts every scorer once where there is no profile, and only those of the profile where there is one', () => {
    const plugins = [{ type: 'queue-scorer' }, { type: 'prefix-cache-scorer' }];
    expect(parse({ plugins })).toMatchObject({ weights: { ...NONE, queue: 1, prefix: 1 } });
    const schedulingProfiles = [{ name: 'p', plugins: [{ pluginRef: 'queue-scorer' }] }];
    expect(parse({ plugins, schedulingProfiles })).toMatchObject({ weights: { ...NONE, queue: 1 } });
  });

  it('says of each parameter that it has no effect, and why', () => {
    const plugins: Fields[] = [
      { type: 'prefix-cache-scorer', parameters: { blockSizeTokens: 5 } },
      { name: 'best', type: 'max-score-picker', parameters: { maxNumOfEndpoints: 3 } },
      { type: 'utilization-detector', parameters: { queueDepthThreshold: 5, toString: 1 } },
    ];
    expect(parse({ plugins })).toMatchObject({
      warnings: [
        'parameter blockSizeTokens of plugin prefix-cache-scorer has no effect in this picker: prompts are compared in blocks of 256 bytes, the first 512 of them',
        'parameter maxNumOfEndpoints of plugin best has no effect in this picker: how many pods a request may try is spec.schedulers[].retry.attempts',
        expect.stringMatching(/^parameter queueDepthThreshold of plugin utilization-detector .*: a pod is full/),
        'parameter toString of plugin utilization-detector has no effect in this picker',
      ],
    });
  });

  it('says nothing of a parameter whose value is what happens anyway', () => {
    const plugins = [{ type: 'metrics-data-source', parameters: { scheme: 'http', path: '/metrics' } }];
    expect(parse({ plugins })).toMatchObject({ warnings: [] });
  });

  it.each(UPSTREAM_TYPES)('either follows %s or refuses it with a reason', (type) => {
    const result = parse({ plugins: [{ type }] });
    if ('weights' in result) return;
    expect(result.faults).toEqual([
      { path: ['plugins', 0, 'type'], message: expect.stringMatching(`^this picker has no ${type}: .{20}`) },
    ]);
  });

  it('says of gates and of a data layer that are not needed that they have no effect', () => {
    const plugins = [{ type: 'queue-scorer' }];
    expect(
      parse({
        plugins,
        featureGates: ['dataLayer', 'enableLegacyMetrics'],
        dataLayer: { sources: [], crossReplicaSyncInterval: '1s' },
      }),
    ).toMatchObject({
      warnings: [
        expect.stringContaining('enableLegacyMetrics has no effect'),
        expect.stringContaining('names no source'),
        expect.stringContaining('crossReplicaSyncInterval has no effect'),
      ],
    });
  });

  it('takes the parsers and policies that it has, and those that a file need not define', () => {
    expect(
      parse({
        featureGates: ['flowControl'],
        plugins: [{ type: 'queue-scorer' }, { name: 'p', type: 'openai-parser' }, { type: 'edf-ordering-policy' }],
        requestHandler: { parsers: [{ pluginRef: 'p' }] },
        saturationDetector: { pluginRef: 'utilization-detector' },
        flowControl: {
          defaultRequestTTL: '5s',
          usageLimitPolicyPluginRef: 'static-usage-limit-policy',
          priorityBands: [
            {
              priority: 1,
              fairnessPolicyRef: 'global-strict-fairness-policy',
              orderingPolicyRef: 'edf-ordering-policy',
            },
          ],
        },
      }),
    ).toMatchObject({ weights: { ...NONE, queue: 1 }, warnings: [] });
  });

  const queue = [{ type: 'queue-scorer' }];
  const profile = (...plugins: object[]) => [{ name: 'p', plugins }];
  it.each([
    [
      'an unknown plugin, with the nearest',
      { plugins: [{ type: 'queue-scorrer' }] },
      /"queue-scorrer" is no plugin of .*: did you mean queue-scorer\?/,
    ],
    ['a name used twice', { plugins: [...queue, ...queue] }, /used twice/],
    [
      'a plugin like no other, with those that there are',
      { plugins: [{ type: 'x' }] },
      /this picker has queue-scorer, /,
    ],
    ['an unknown field', { plugins: queue, scheduling: {} }, /no such field: remove it/],
    ['discovery of pods', { plugins: queue, dataLayer: { discovery: {} } }, /modelSelector selects: remove it/],
    ['an unknown feature gate', { plugins: queue, featureGates: ['flowcontrol'] }, /did you mean flowControl\?/],
    [
      'a second picker',
      {
        plugins: [{ type: 'max-score-picker' }, { name: 'p', type: 'max-score-picker' }],
        schedulingProfiles: profile({ pluginRef: 'max-score-picker' }, { pluginRef: 'p' }),
      },
      /one picker/,
    ],
    [
      'a saturation detector as a filter',
      {
        plugins: [{ type: 'utilization-detector' }],
        schedulingProfiles: profile({ pluginRef: 'utilization-detector' }),
      },
      /is a saturation detector, by which this picker filters no pod/,
    ],
    [
      'a parser that is none',
      { plugins: queue, parser: { pluginRef: 'queue-scorer' } },
      /"queue-scorer" is a scorer, and no parser/,
    ],
    [
      'a parameter that decides',
      { plugins: [{ type: 'latency-scorer', parameters: { headroomSelectionStrategy: 'most' } }] },
      /does not follow it: the soonest first token counts/,
    ],
    [
      'metrics of its own',
      { plugins: [{ type: 'core-metrics-extractor', parameters: { engineConfigs: [] } }] },
      /engineType: set that/,
    ],
    [
      'a reference to nothing',
      { plugins: queue, schedulingProfiles: profile({ pluginRef: 'x' }) },
      /not among plugins/,
    ],
    [
      'a source that is not defined',
      { plugins: queue, dataLayer: { sources: [{ pluginRef: 'x' }] } },
      /not among plugins/,
    ],
    [
      'a negative weight',
      { plugins: queue, schedulingProfiles: profile({ pluginRef: 'queue-scorer', weight: -1 }) },
      /./,
    ],
    [
      'a weight of a picker',
      {
        plugins: [{ type: 'max-score-picker' }],
        schedulingProfiles: profile({ pluginRef: 'max-score-picker', weight: 1 }),
      },
      /only a scorer has a weight/,
    ],
    [
      'two scorers of one signal',
      {
        plugins: [...queue, { name: 'q', type: 'queue-scorer' }],
        schedulingProfiles: profile({ pluginRef: 'queue-scorer' }, { pluginRef: 'q' }),
      },
      /second scorer/,
    ],
    ['two profiles', { plugins: queue, schedulingProfiles: [...profile(), ...profile()] }, /one profile/],
    ['no plugins', {}, /./],
  ])('refuses %s', (_, fields, message) => {
    const result = parse(fields);
    expect('faults' in result && result.faults.map((fault) => fault.message).join()).toMatch(message);
  });

  it('refuses the LRU scorer of another picker', () => {
    expect(parse({ plugins: [{ type: 'no-hit-lru-scorer' }] }, 'epp')).toMatchObject({
      faults: [{ path: ['plugins', 0, 'type'], message: 'no-hit-lru-scorer needs scheduler: llm-d' }],
    });
  });

  it('refuses what is no YAML, with the reason', () => {
    expect(parseEndpointPickerConfig('a: [', 'llm-d')).toMatchObject({
      faults: [{ path: [], message: expect.stringMatching(/^is not YAML: /) }],
    });
  });
});
