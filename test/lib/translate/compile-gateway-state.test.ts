import { SCHEDULER_PROFILES } from '../../../lib/api/inference-gateway-config/scorer-weights';
import { compileGatewayState } from '../../../lib/translate/compile-gateway-state';
import type { SourcedValue } from '../../../lib/translate/sourced-value';
import { adaptersObject, configMapObject, gatewayConfig, objectiveObject, podObject, schedulerSpec } from './builders';

function compiled(objects: readonly SourcedValue[]) {
  const result = compileGatewayState(objects);
  if ('faults' in result) throw new Error(result.faults.join('\n'));
  return result;
}

function faults(objects: readonly SourcedValue[]) {
  const result = compileGatewayState(objects);
  return 'faults' in result ? result.faults : [];
}

describe('compileGatewayState', () => {
  it('fills in what the contract defaults', () => {
    const { state, warnings } = compiled([gatewayConfig([schedulerSpec('m')]), podObject('a', 'm', '10.0.0.1')]);
    expect(warnings).toEqual([]);
    expect(state).toEqual({
      gateway: 'default/gateway',
      bodyRouting: true,
      maxRequestBodyBytes: 268_435_456,
      explain: false,
      rewrites: [],
      schedulers: [
        {
          namespace: 'default',
          name: 'm',
          modelName: 'm',
          adapters: [],
          engine: 'vllm',
          weights: SCHEDULER_PROFILES.balanced,
          overload: {
            maxQueueTimeMs: 30_000,
            retryAfterMinSeconds: 1,
            retryAfterMaxSeconds: 60,
            emptyPoolHoldMs: 10_000,
          },
          appProtocol: 'http',
          endpoints: [{ address: '10.0.0.1:8000', pod: 'default/a', ready: true }],
        },
      ],
    });
  });

  it('takes durations, weights and the explain switch from the object', () => {
    const scheduler = schedulerSpec('m', {
      routeTimeout: '1m30s',
      weights: { queue: 5 },
      appProtocol: 'kubernetes.io/h2c',
    });
    const { state } = compiled([
      gatewayConfig([scheduler], {
        overload: { maxQueueTime: '500ms', retryAfter: { min: '1500ms', max: '2m' } },
        observability: { explain: { enabled: true, logInterval: '5s' } },
      }),
    ]);
    expect(state).toMatchObject({ explain: true, explainLogIntervalMs: 5000 });
    expect(state.schedulers[0]).toMatchObject({
      routeTimeoutMs: 90_000,
      weights: { queue: 5, kvCache: 2, prefix: 3 },
      overload: { maxQueueTimeMs: 500, retryAfterMinSeconds: 2, retryAfterMaxSeconds: 120 },
      appProtocol: 'kubernetes.io/h2c',
    });
  });

  it('keeps a route time-out of zero apart from none', () => {
    const { state } = compiled([gatewayConfig([schedulerSpec('m', { routeTimeout: '0s' })])]);
    expect(state.schedulers[0]?.routeTimeoutMs).toBe(0);
  });

  it('reads pods of its own namespace only', () => {
    const { state } = compiled([
      gatewayConfig([schedulerSpec('m')]),
      podObject('a', 'm', '10.0.0.1', { namespace: 'other' }),
      podObject('b', 'm', '10.0.0.2'),
    ]);
    expect(state.schedulers[0]?.endpoints.map(({ pod }) => pod)).toEqual(['default/b']);
  });

  it('takes the weights from a configMapRef', () => {
    const text = JSON.stringify({
      apiVersion: 'inference.networking.x-k8s.io/v1alpha1',
      kind: 'EndpointPickerConfig',
      plugins: [{ type: 'queue-scorer' }],
    });
    const { state } = compiled([
      gatewayConfig([schedulerSpec('m', { configMapRef: { name: 'picker' } })]),
      configMapObject('picker', { 'default-plugins.yaml': text }),
    ]);
    expect(state.schedulers[0]?.weights).toMatchObject({ queue: 1, kvCache: 0, prefix: 0 });
  });

  it('takes flow control in milliseconds and bytes, the retries, the hold and the objectives', () => {
    const bands = { critical: { ttl: '1m', maxBytes: '1Ki' }, sheddable: { maxRequests: 0 } };
    const { state } = compiled([
      gatewayConfig(
        [schedulerSpec('m', { flowControl: { bands, maxBytes: '1Mi' }, retry: { attempts: 1 } }), schedulerSpec('n')],
        { overload: { emptyPoolHold: '1500ms' } },
      ),
      objectiveObject('urgent', 'm', { priority: 7 }),
    ]);
    expect(state.schedulers[0]).toMatchObject({
      overload: { emptyPoolHoldMs: 1_500 },
      objectives: [{ name: 'urgent', priority: 7 }],
      flowControl: {
        bands: {
          critical: { ttlMs: 60_000, maxRequests: 1000, maxBytes: 1024 },
          // Less than a band's own default, because all bands together have no more.
          standard: { ttlMs: 10_000, maxRequests: 1000, maxBytes: 1_048_576 },
          sheddable: { ttlMs: 10_000, maxRequests: 0, maxBytes: 1_048_576 },
        },
        maxBytes: 1_048_576,
        maxTenants: 100,
        trustClientHeaders: false,
      },
      retry: { attempts: 1, afterDispatch: true },
    });
    for (const field of ['objectives', 'flowControl', 'retry']) expect(state.schedulers[1]).not.toHaveProperty(field);
    expect(state).not.toHaveProperty('claims');
  });

  it('says that claims are verified where the object names them', () => {
    const provider = {
      name: 'oidc',
      issuer: 'https://issuer.example.com',
      remoteJWKS: { uri: 'https://issuer.example.com/keys' },
      audiences: ['gateway'],
    };
    const auth = { jwt: { provider, claims: { tenant: 'team' } } };
    expect(compiled([gatewayConfig([schedulerSpec('m')], { auth })]).state.claims).toBe(true);
  });

  it('takes flow control from a configMapRef, unless the scheduler has its own', () => {
    const text = JSON.stringify({
      apiVersion: 'llm-d.ai/v1alpha1',
      kind: 'EndpointPickerConfig',
      featureGates: ['flowControl'],
      plugins: [{ type: 'queue-scorer' }],
      flowControl: { defaultRequestTTL: '20s', noEndpointRequestTTL: '1m' },
    });
    const picker = configMapObject('picker', { 'default-plugins.yaml': text });
    const configMapRef = { name: 'picker' };
    const of = (fields: object) => compiled([gatewayConfig([schedulerSpec('m', { configMapRef, ...fields })]), picker]);
    expect(of({}).state.schedulers[0]).toMatchObject({
      overload: { emptyPoolHoldMs: 60_000 },
      flowControl: { bands: { critical: { ttlMs: 20_000 } } },
    });
    const own = of({ flowControl: {} });
    expect(own.state.schedulers[0]?.flowControl?.bands.critical.ttlMs).toBe(10_000);
    expect(own.warnings).toContainEqual(expect.stringContaining('spec.schedulers[0].flowControl wins'));
  });

  it('is not stopped by an objective or a rewrite of somebody else', () => {
    expect(compiled([gatewayConfig([schedulerSpec('m')]), objectiveObject('urgent', 'theirs')]).warnings).toEqual([
      expect.stringContaining('InferenceObjective default/urgent: its poolRef names "theirs"'),
      expect.stringContaining('selects no pod'),
    ]);
  });

  it('says which ConfigMap or key a configMapRef misses', () => {
    const config = gatewayConfig([schedulerSpec('m', { configMapRef: { name: 'picker' } })]);
    expect(faults([config])).toEqual([
      'test spec.schedulers[0].configMapRef.name: there is no ConfigMap picker in namespace default',
    ]);
    expect(faults([config, configMapObject('picker', {})])).toEqual([
      'test spec.schedulers[0].configMapRef.key: ConfigMap picker has no key default-plugins.yaml',
    ]);
  });

  it('wants exactly one gateway, and names both of two', () => {
    expect(faults([])).toEqual([expect.stringMatching(/no InferenceGatewayConfig/)]);
    const second = gatewayConfig([schedulerSpec('n')], {}, { name: 'second' });
    expect(faults([gatewayConfig([schedulerSpec('m')]), second])).toEqual([
      expect.stringMatching(/default\/second .* default\/gateway/),
    ]);
  });

  it('gives every fault of every object, with its place', () => {
    const bad = { ...gatewayConfig([schedulerSpec('m', { targetPort: 0, nonsense: 1 })]), lineOf: () => 7 };
    const found = faults([bad, podObject('a', 'm', 'not an address')]);
    expect(found).toHaveLength(3);
    expect(found[0]).toMatch(/^test:7 spec\.schedulers\[0\]\.\w+: /);
    expect(found[2]).toMatch(/^test status\.podIP: /);
  });
});

describe('tolerant', () => {
  const tolerant = (values: Parameters<typeof compileGatewayState>[0]) =>
    compileGatewayState(values, { tolerant: true });

  test('a fault of another object leaves it out, with a warning; the others count', () => {
    const result = tolerant([
      gatewayConfig([schedulerSpec('llama')]),
      objectiveObject('urgent', 'llama', { priority: 'high' }),
      objectiveObject('batch', 'llama', { priority: -1 }),
      adaptersObject('adapters', 'llama', ['sql']),
      configMapObject('broken', { baseModel: '' }, { labels: { 'inference.networking.k8s.io/bbr-managed': 'true' } }),
    ]);
    if (!('state' in result)) throw new Error(result.faults.join());
    expect(result.state.schedulers[0]).toMatchObject({
      adapters: ['sql'],
      objectives: [{ name: 'batch', priority: -1 }],
    });
    expect(result.warnings).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/spec\.priority: must be an integer.*: it is left out$/),
        expect.stringMatching(/data\.baseModel must name the base model.*: it is left out$/),
      ]),
    );
  });

  test('a fault of the config holds back everything', () => {
    expect(tolerant([gatewayConfig([schedulerSpec('llama', { targetPort: 0 })])])).toEqual({
      faults: [expect.stringContaining('spec.schedulers[0].targetPort')],
    });
  });

  test('a configMapRef that cannot be used lets its scheduler pick and hold by its own word, and is told', () => {
    const spec = { configMapRef: { name: 'nowhere' }, flowControl: { maxTenants: 7 } };
    const result = tolerant([gatewayConfig([schedulerSpec('llama', spec), schedulerSpec('qwen')])]);
    if (!('state' in result)) throw new Error(result.faults.join());
    const [llama, qwen] = result.state.schedulers;
    expect(llama?.weights).toEqual(qwen?.weights);
    expect(llama?.flowControl).toMatchObject({ maxTenants: 7 });
    expect(result.schedulerFaults).toEqual([
      {
        scheduler: 'llama',
        reason: 'PickerConfigInvalid',
        message: expect.stringContaining('there is no ConfigMap nowhere in namespace default'),
      },
    ]);
    expect(result.warnings).toContain(result.schedulerFaults[0]?.message);
  });
});

test('an adapter that two claim is told of both, whether tolerant or not', () => {
  const values = [
    gatewayConfig([
      schedulerSpec('llama', { loraAdapters: ['sql'] }),
      schedulerSpec('qwen', { loraAdapters: ['sql'] }),
    ]),
  ];
  const result = compileGatewayState(values);
  if (!('state' in result)) throw new Error(result.faults.join());
  expect(result.schedulerFaults.map(({ scheduler, reason }) => [scheduler, reason])).toEqual([
    ['llama', 'ModelNameConflict'],
    ['qwen', 'ModelNameConflict'],
  ]);
  expect(result.warnings).toContain(result.schedulerFaults[0]?.message);
});

test('where nobody reads pods, nobody is told that there are none', () => {
  const values = [gatewayConfig([schedulerSpec('llama')]), podObject('llama-0', 'llama', '10.0.0.1')];
  const warned = compileGatewayState(values.slice(0, 1));
  expect('warnings' in warned && warned.warnings).toEqual([expect.stringContaining('selects no pod')]);
  const result = compileGatewayState(values, { withoutPods: true });
  expect(result).toMatchObject({ state: { schedulers: [{ endpoints: [] }] }, warnings: [] });
});
