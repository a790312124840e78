import * as fc from 'fast-check';
import { parse } from 'yaml';
import { LIMIT_EXAMPLES } from '../support/limit-examples';
import { accepted, configWithScheduler, gatewayConfig, refusals, scheduler } from '../support/manifests';

describe('defaults of the published contract', () => {
  const object = accepted(
    gatewayConfig({
      bbr: { enabled: true, defaultBackend: { name: 'fallback' } },
      auth: {
        jwt: {
          provider: {
            name: 'oidc',
            issuer: 'https://issuer.example.com',
            remoteJWKS: { uri: 'https://issuer.example.com/keys' },
            requiredClaims: [{ name: 'team', values: ['a'] }],
          },
        },
      },
      schedulers: [
        scheduler({ weights: { runningRequests: 2 }, flowControl: {}, retry: {} }),
        scheduler({ name: 'other', modelName: 'other', configMapRef: { name: 'plugins' } }),
      ],
    }),
  );

  test.each([
    ['metadata.namespace', 'default'],
    ['spec.bbr.replicas', 2],
    ['spec.bbr.maxRequestBodyBytes', 268_435_456],
    ['spec.bbr.defaultBackend.port', 8000],
    ['spec.observability.metrics.enabled', true],
    ['spec.auth.jwt.provider.requiredClaims.0.valueType', 'String'],
    ['spec.schedulers.0.targetPort', 8000],
    ['spec.schedulers.0.appProtocol', 'http'],
    ['spec.schedulers.0.scheduler', 'llm-d'],
    ['spec.schedulers.0.engineType', 'vllm'],
    ['spec.schedulers.0.replicas', 2],
    ['spec.schedulers.0.weights.queue', 2],
    ['spec.schedulers.0.weights.kvCache', 2],
    ['spec.schedulers.0.weights.prefix', 3],
    ['spec.schedulers.0.weights.runningRequests', 2],
    ['spec.schedulers.0.weights.lru', undefined],
    ['spec.schedulers.1.weights', undefined],
    ['spec.schedulers.1.configMapRef.key', 'default-plugins.yaml'],
    ['spec.schedulers.1.routeTimeout', undefined],
    ['spec.tls', undefined],
    ['spec.overload', { maxQueueTime: '30s', retryAfter: { min: '1s', max: '60s' }, emptyPoolHold: '10s' }],
    ['spec.schedulers.0.flowControl.bands.critical', { ttl: '10s', maxRequests: 1000 }],
    ['spec.schedulers.0.flowControl.bands.standard', { ttl: '10s', maxRequests: 1000 }],
    ['spec.schedulers.0.flowControl.bands.sheddable', { ttl: '10s', maxRequests: 1000 }],
    ['spec.schedulers.0.flowControl.maxBytes', '512Mi'],
    ['spec.schedulers.0.flowControl.maxTenants', 100],
    ['spec.schedulers.0.flowControl.trustClientHeaders', false],
    ['spec.schedulers.0.retry', { attempts: 2, afterDispatch: true }],
    ['spec.schedulers.1.flowControl', undefined],
    ['spec.schedulers.1.retry', undefined],
    ['spec.auth.jwt.claims', undefined],
    ['spec.observability.explain.enabled', false],
  ])('%s is %j', (path, expected) => {
    expect(at(object, path)).toEqual(expected);
  });
});

test.each(LIMIT_EXAMPLES)('limit: $name', ({ within, beyond, path }) => {
  expect(refusals(within)).toEqual([]);
  expect(refusals(beyond).map((line) => line.slice(0, line.indexOf(': ')))).toEqual([path]);
});

test('a manifest written for the published gateway is accepted unchanged', () => {
  const manifest = parse(`
apiVersion: inference.sagemaker.aws.amazon.com/v1alpha1
kind: InferenceGatewayConfig
metadata:
  name: team-gateway
  namespace: models
  annotations: {owner: platform}
spec:
  bbr:
    enabled: true
    replicas: 3
    defaultBackend: {name: fallback}
  tls: {}
  auth:
    jwt:
      provider:
        name: cognito
        issuer: https://cognito-idp.us-west-2.amazonaws.com/us-west-2_example
        remoteJWKS: {uri: https://cognito-idp.us-west-2.amazonaws.com/us-west-2_example/.well-known/jwks.json}
        audiences: [gateway]
        requiredClaims:
          - {name: scope, valueType: StringArray, values: [inference]}
  observability:
    metrics: {enabled: false}
  podDefaults:
    resources:
      requests: {cpu: 2, memory: 4Gi}
      limits: {cpu: 2500m}
    nodeSelector: {kubernetes.io/arch: amd64}
    tolerations:
      - {key: dedicated, operator: Exists, effect: NoSchedule}
    affinity:
      nodeAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms:
            - matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]
    labels: {team: a}
    env:
      - {name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
    envFrom:
      - configMapRef: {name: settings}
  schedulers:
    - name: qwen
      modelName: "Qwen/Qwen2.5-1.5B-Instruct"
      modelSelector:
        matchLabels: {app: vllm-qwen}
      targetPort: 8000
      scheduler: llm-d
      weights: {prefix: 0, queue: 3, kvCache: 2, lru: 1}
      loraAdapters: [ski-resorts, movie-critique]
      routeTimeout: 5m
      logLevel: 4
    - name: qwen-small
      modelName: "Qwen/Qwen2.5-0.5B-Instruct"
      modelSelector:
        matchExpressions: [{key: app, operator: In, values: [sglang-qwen]}]
      scheduler: epp
      engineType: sglang
      configMapRef: {name: picker}
      replicas: 1
      env: [{name: LEVEL, value: "1"}]
`);
  expect(refusals(manifest)).toEqual([]);
  expect(accepted(manifest)).toMatchObject(manifest);
});

test.each([
  ['no tls', gatewayConfig()],
  ['tls with nothing after the colon', gatewayConfig({ tls: null })],
  ['an empty acmArn', gatewayConfig({ tls: { acmArn: '' } })],
  ['an auth that asks for nothing', gatewayConfig({ auth: {} })],
  [
    'an adapter of two models',
    gatewayConfig({
      schedulers: [scheduler({ loraAdapters: ['a'] }), scheduler({ name: 'b', modelName: 'b', loraAdapters: ['a'] })],
    }),
  ],
  [
    'more tolerations than anybody needs',
    gatewayConfig({ podDefaults: { tolerations: Array(100).fill({ operator: 'Exists' }) } }),
  ],
  ['all weights zero', configWithScheduler({ weights: { queue: 0, kvCache: 0, prefix: 0 } })],
  ['one scheduler without BBR', gatewayConfig({ bbr: { enabled: false } })],
  ['a status that another controller wrote', { ...gatewayConfig(), status: { anything: [1] } }],
])('%s is accepted', (_, manifest) => {
  expect(refusals(manifest)).toEqual([]);
});

test.each(['tgi', 'trtllm', 'triton'])('engineType %s is accepted as an extension', (engineType) => {
  expect(refusals(configWithScheduler({ engineType }))).toEqual([]);
});

const anyConfig = fc
  .array(
    fc.record(
      {
        modelSelector: fc.constant({ matchLabels: { app: 'llama' } }),
        targetPort: fc.integer({ min: 1, max: 65_535 }),
        engineType: fc.constantFrom('vllm', 'sglang', 'tgi', 'trtllm', 'triton'),
        weights: fc.record(
          { queue: fc.nat(), kvCache: fc.nat(), prefix: fc.nat(), lru: fc.nat(), loraAffinity: fc.nat() },
          { requiredKeys: [] },
        ),
        profile: fc.constantFrom('balanced', 'latency', 'throughput'),
        flowControl: fc.record(
          { maxBytes: fc.constantFrom('1Mi', '1Gi', 5000), trustClientHeaders: fc.boolean(), bands: fc.constant({}) },
          { requiredKeys: [] },
        ),
        retry: fc.record({ attempts: fc.integer({ min: 0, max: 2 }) }, { requiredKeys: [] }),
        replicas: fc.integer({ min: 1, max: 9 }),
        routeTimeout: fc.constantFrom('0s', '30s', '1h2m3s4ms'),
        logLevel: fc.integer({ min: 0, max: 5 }),
        env: fc.array(
          fc.record({ name: fc.constant('A'), valueFrom: fc.dictionary(fc.constant('x'), fc.jsonValue()) }),
          {
            maxLength: 2,
          },
        ),
      },
      { requiredKeys: ['modelSelector'] },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((list) =>
    gatewayConfig({
      schedulers: list.map((fields, index) => ({ name: `s${index}`, modelName: `m${index}`, ...fields })),
    }),
  );

test('defaulting changes nothing that is written, and nothing the second time', () => {
  void fc.assert(
    fc.property(anyConfig, (config) => {
      const once = accepted(config);
      expect(once).toMatchObject(config);
      expect(accepted(JSON.parse(JSON.stringify(once)))).toEqual(once);
    }),
    { numRuns: 60 },
  );
});

function at(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], object);
}
