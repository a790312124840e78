import { SCHEDULER_PROFILES } from '../../../lib/api/inference-gateway-config/scorer-weights';
import { compileGatewayState } from '../../../lib/translate/compile-gateway-state';
import type { SourcedValue } from '../../../lib/translate/sourced-value';
import { configMapObject, gatewayConfig, podObject, schedulerSpec } from './builders';

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
          overload: { maxQueueTimeMs: 30_000, retryAfterMinSeconds: 1, retryAfterMaxSeconds: 60 },
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
        observability: { explain: { enabled: true } },
      }),
    ]);
    expect(state.explain).toBe(true);
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
