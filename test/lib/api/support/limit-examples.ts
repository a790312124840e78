import { configWithScheduler, gatewayConfig, type Json, scheduler } from './manifests';

const jwt = (fields: object, claims?: object) =>
  gatewayConfig({
    auth: {
      jwt: {
        claims,
        provider: {
          name: 'oidc',
          issuer: 'https://issuer.example.com',
          remoteJWKS: { uri: 'https://issuer.example.com/keys' },
          audiences: ['gateway'],
          ...fields,
        },
      },
    },
  });
const claim = (fields: object) => jwt({ requiredClaims: [{ name: 'team', values: ['a'], ...fields }] });
const bbr = (fields: object) => gatewayConfig({ bbr: { enabled: true, ...fields } });
const schedulers = (count: number) =>
  gatewayConfig({
    schedulers: Array.from({ length: count }, (_, index) => scheduler({ name: `s${index}`, modelName: `m${index}` })),
  });
const times = (count: number, item: unknown) => Array.from({ length: count }, () => item);

export interface LimitExample {
  readonly name: string;
  /** The most, or the least, that is allowed. */
  readonly within: Json;
  /** The next that is not, and nothing else wrong. */
  readonly beyond: Json;
  /** The field that must be named. */
  readonly path: string;
}

/** For each limit of a single field an object on either side of it. */
export const LIMIT_EXAMPLES: readonly LimitExample[] = (
  [
    ['bbr.replicas', bbr({ replicas: 1 }), bbr({ replicas: 0 }), 'spec.bbr.replicas'],
    [
      'bbr.maxRequestBodyBytes',
      bbr({ maxRequestBodyBytes: 268_435_456 }),
      bbr({ maxRequestBodyBytes: 268_435_457 }),
      'spec.bbr.maxRequestBodyBytes',
    ],
    ['bbr.enabled', bbr({ enabled: true }), bbr({ enabled: undefined }), 'spec.bbr.enabled'],
    ['schedulers, most', schedulers(100), schedulers(101), 'spec.schedulers'],
    ['schedulers, least', schedulers(1), schedulers(0), 'spec.schedulers'],
    [
      'name',
      configWithScheduler({ name: 'a'.repeat(63) }),
      configWithScheduler({ name: 'a'.repeat(64) }),
      'spec.schedulers[0].name',
    ],
    [
      'modelName',
      configWithScheduler({ modelName: 'a'.repeat(253) }),
      configWithScheduler({ modelName: 'a'.repeat(254) }),
      'spec.schedulers[0].modelName',
    ],
    [
      'modelName, one line',
      configWithScheduler({ modelName: 'org/Model Name:v1' }),
      configWithScheduler({ modelName: 'model\n' }),
      'spec.schedulers[0].modelName',
    ],
    [
      'targetPort, most',
      configWithScheduler({ targetPort: 65_535 }),
      configWithScheduler({ targetPort: 65_536 }),
      'spec.schedulers[0].targetPort',
    ],
    [
      'targetPort, least',
      configWithScheduler({ targetPort: 1 }),
      configWithScheduler({ targetPort: 0 }),
      'spec.schedulers[0].targetPort',
    ],
    [
      'appProtocol',
      configWithScheduler({ appProtocol: 'kubernetes.io/h2c' }),
      configWithScheduler({ appProtocol: 'grpc' }),
      'spec.schedulers[0].appProtocol',
    ],
    [
      'scheduler',
      configWithScheduler({ scheduler: 'epp' }),
      configWithScheduler({ scheduler: 'other' }),
      'spec.schedulers[0].scheduler',
    ],
    [
      'engineType',
      configWithScheduler({ engineType: 'sglang' }),
      configWithScheduler({ engineType: 'ollama' }),
      'spec.schedulers[0].engineType',
    ],
    [
      'weights, least',
      configWithScheduler({ weights: { queue: 0 } }),
      configWithScheduler({ weights: { queue: -1 } }),
      'spec.schedulers[0].weights.queue',
    ],
    [
      'weights, integers',
      configWithScheduler({ weights: { predictedLatency: 1 } }),
      configWithScheduler({ weights: { predictedLatency: 0.5 } }),
      'spec.schedulers[0].weights.predictedLatency',
    ],
    [
      'scheduler replicas',
      configWithScheduler({ replicas: 1 }),
      configWithScheduler({ replicas: 0 }),
      'spec.schedulers[0].replicas',
    ],
    [
      'loraAdapters',
      configWithScheduler({ loraAdapters: times(50, 'a') }),
      configWithScheduler({ loraAdapters: times(51, 'a') }),
      'spec.schedulers[0].loraAdapters',
    ],
    [
      'loraAdapters, length',
      configWithScheduler({ loraAdapters: ['a'.repeat(253)] }),
      configWithScheduler({ loraAdapters: ['a'.repeat(254)] }),
      'spec.schedulers[0].loraAdapters[0]',
    ],
    [
      'routeTimeout',
      configWithScheduler({ routeTimeout: '0s' }),
      configWithScheduler({ routeTimeout: '1.5s' }),
      'spec.schedulers[0].routeTimeout',
    ],
    [
      'logLevel',
      configWithScheduler({ logLevel: 5 }),
      configWithScheduler({ logLevel: 6 }),
      'spec.schedulers[0].logLevel',
    ],
    [
      'configMapRef.name',
      configWithScheduler({ configMapRef: { name: 'a' } }),
      configWithScheduler({ configMapRef: {} }),
      'spec.schedulers[0].configMapRef.name',
    ],
    [
      'audiences',
      jwt({ audiences: times(8, 'a') }),
      jwt({ audiences: times(9, 'a') }),
      'spec.auth.jwt.provider.audiences',
    ],
    ['issuer', jwt({ issuer: 'https://a' }), jwt({ issuer: 'http://a' }), 'spec.auth.jwt.provider.issuer'],
    [
      'remoteJWKS.uri',
      jwt({ remoteJWKS: { uri: 'https://a/k' } }),
      jwt({ remoteJWKS: { uri: 'a/k' } }),
      'spec.auth.jwt.provider.remoteJWKS.uri',
    ],
    [
      'requiredClaims',
      jwt({ requiredClaims: times(16, { name: 'a', values: ['b'] }) }),
      jwt({ requiredClaims: times(17, { name: 'a', values: ['b'] }) }),
      'spec.auth.jwt.provider.requiredClaims',
    ],
    [
      'valueType',
      claim({ valueType: 'StringArray' }),
      claim({ valueType: 'Number' }),
      'spec.auth.jwt.provider.requiredClaims[0].valueType',
    ],
    [
      'claim values',
      claim({ values: times(128, 'a') }),
      claim({ values: times(129, 'a') }),
      'spec.auth.jwt.provider.requiredClaims[0].values',
    ],
    [
      'claim value length',
      claim({ values: ['a'.repeat(1024)] }),
      claim({ values: ['a'.repeat(1025)] }),
      'spec.auth.jwt.provider.requiredClaims[0].values[0]',
    ],
    [
      'matchLabels',
      configWithScheduler({ modelSelector: { matchLabels: { 'example.com/app': '' } } }),
      configWithScheduler({ modelSelector: { matchLabels: { app: 'a b' } } }),
      'spec.schedulers[0].modelSelector.matchLabels.app',
    ],
    [
      'overload.emptyPoolHold',
      gatewayConfig({ overload: { emptyPoolHold: '0s' } }),
      gatewayConfig({ overload: { emptyPoolHold: '301s' } }),
      'spec.overload.emptyPoolHold',
    ],
    [
      'retry.attempts',
      configWithScheduler({ retry: { attempts: 0 } }),
      configWithScheduler({ retry: { attempts: 3 } }),
      'spec.schedulers[0].retry.attempts',
    ],
    [
      'band ttl',
      configWithScheduler({ flowControl: { bands: { critical: { ttl: '5m' } } } }),
      configWithScheduler({ flowControl: { bands: { critical: { ttl: '0s' } } } }),
      'spec.schedulers[0].flowControl.bands.critical.ttl',
    ],
    [
      'band maxRequests, least',
      configWithScheduler({ flowControl: { bands: { sheddable: { maxRequests: 0 } } } }),
      configWithScheduler({ flowControl: { bands: { sheddable: { maxRequests: -1 } } } }),
      'spec.schedulers[0].flowControl.bands.sheddable.maxRequests',
    ],
    [
      'band maxRequests, most',
      configWithScheduler({ flowControl: { bands: { standard: { maxRequests: 100_000 } } } }),
      configWithScheduler({ flowControl: { bands: { standard: { maxRequests: 100_001 } } } }),
      'spec.schedulers[0].flowControl.bands.standard.maxRequests',
    ],
    [
      'band maxBytes beside all',
      configWithScheduler({ flowControl: { maxBytes: 1024, bands: { standard: { maxBytes: '1Ki' } } } }),
      configWithScheduler({ flowControl: { maxBytes: 1023, bands: { standard: { maxBytes: '1Ki' } } } }),
      'spec.schedulers[0].flowControl.bands.standard.maxBytes',
    ],
    [
      'flowControl.maxBytes',
      configWithScheduler({ flowControl: { maxBytes: 1 } }),
      configWithScheduler({ flowControl: { maxBytes: '-1Mi' } }),
      'spec.schedulers[0].flowControl.maxBytes',
    ],
    [
      'flowControl.maxTenants',
      configWithScheduler({ flowControl: { maxTenants: 1 } }),
      configWithScheduler({ flowControl: { maxTenants: 0 } }),
      'spec.schedulers[0].flowControl.maxTenants',
    ],
    [
      'claim names',
      jwt({}, { objective: 'gateway.objective' }),
      jwt({}, { objective: '' }),
      'spec.auth.jwt.claims.objective',
    ],
    [
      'overload.maxQueueTime',
      gatewayConfig({ overload: { maxQueueTime: '1m30s' } }),
      gatewayConfig({ overload: { maxQueueTime: '30' } }),
      'spec.overload.maxQueueTime',
    ],
  ] satisfies [string, Json, Json, string][]
).map(([name, within, beyond, path]) => ({ name, within, beyond, path }));
