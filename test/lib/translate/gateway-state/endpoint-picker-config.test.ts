import { parseEndpointPickerConfig } from '../../../../lib/translate/gateway-state/endpoint-picker-config';

const HEAD = { apiVersion: 'inference.networking.x-k8s.io/v1alpha1', kind: 'EndpointPickerConfig' };
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

  it('says that parameters have no effect', () => {
    const plugins = [{ type: 'prefix-cache-scorer', parameters: { blockSize: 5 } }];
    expect(parse({ plugins })).toMatchObject({ warnings: [expect.stringContaining('prefix-cache-scorer')] });
  });

  const queue = [{ type: 'queue-scorer' }];
  const profile = (...plugins: object[]) => [{ name: 'p', plugins }];
  it.each([
    [
      'an unknown plugin, with those that there are',
      { plugins: [{ type: 'queue-scorrer' }] },
      /has no plugin "queue-scorrer": it has queue-scorer,/,
    ],
    ['a name used twice', { plugins: [...queue, ...queue] }, /used twice/],
    ['an unknown field', { plugins: queue, flowControl: {} }, /remove it/],
    ['an unknown feature gate', { plugins: queue, featureGates: ['flowControl'] }, /./],
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
