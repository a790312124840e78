import { configWithScheduler, gatewayConfig, type Json, scheduler } from './manifests';

const other = (fields: Json = {}) => scheduler({ name: 'other', modelName: 'other-8b', ...fields });
const provider = {
  name: 'oidc',
  issuer: 'https://issuer.example.com',
  remoteJWKS: { uri: 'https://issuer.example.com/keys' },
};

const allowed = { ...provider, audiences: ['gateway'] };

/** For each rule an object that breaks it and no other, and the path that must be named. */
export const RULE_EXAMPLES: Readonly<Record<string, { readonly broken: Json; readonly path: string }>> = {
  'bbr-enabled-with-several-schedulers': {
    broken: gatewayConfig({ bbr: { enabled: false }, schedulers: [scheduler(), other()] }),
    path: 'spec.bbr.enabled',
  },
  'scheduler-name-unique': {
    broken: gatewayConfig({ schedulers: [scheduler(), other({ name: 'llama' })] }),
    path: 'spec.schedulers[1].name',
  },
  'model-name-unique': {
    broken: gatewayConfig({ schedulers: [scheduler(), other({ modelName: 'llama-8b' })] }),
    path: 'spec.schedulers[1].modelName',
  },
  'model-name-with-several-schedulers': {
    broken: gatewayConfig({ schedulers: [scheduler(), other({ modelName: undefined })] }),
    path: 'spec.schedulers[1].modelName',
  },
  'jwt-restricts-tokens': {
    broken: gatewayConfig({ auth: { jwt: { provider: { ...provider, audiences: [] } } } }),
    path: 'spec.auth.jwt.provider',
  },
  'queue-time-above-zero': {
    broken: gatewayConfig({ overload: { maxQueueTime: '0s' } }),
    path: 'spec.overload.maxQueueTime',
  },
  'retry-after-above-zero': {
    broken: gatewayConfig({ overload: { retryAfter: { min: '0h0ms' } } }),
    path: 'spec.overload.retryAfter.min',
  },
  'retry-after-ordered': {
    broken: gatewayConfig({ overload: { retryAfter: { min: '61s' } } }),
    path: 'spec.overload.retryAfter.max',
  },
  'acm-or-issued': {
    broken: gatewayConfig({
      tls: { acmArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1', issuerRef: { name: 'corporate' } },
    }),
    path: 'spec.tls.issuerRef',
  },
  'target-group-or-load-balancer': {
    broken: gatewayConfig({
      endpoint: {
        type: 'alb',
        targetGroupArn: 'arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/llm/1',
      },
    }),
    path: 'spec.endpoint.targetGroupArn',
  },
  'envoy-replicas-ordered': {
    broken: gatewayConfig({ envoy: { minReplicas: 11 } }),
    path: 'spec.envoy.maxReplicas',
  },
  'band-ttl-bounded': {
    broken: configWithScheduler({ flowControl: { bands: { sheddable: { ttl: '5m1ms' } } } }),
    path: 'spec.schedulers[0].flowControl.bands.sheddable.ttl',
  },
  'band-bytes-within-all': {
    broken: configWithScheduler({ flowControl: { bands: { critical: { maxBytes: '1Gi' } } } }),
    path: 'spec.schedulers[0].flowControl.bands.critical.maxBytes',
  },
  'flow-bytes-bounded': {
    broken: configWithScheduler({ flowControl: { maxBytes: '1025Mi' } }),
    path: 'spec.schedulers[0].flowControl.maxBytes',
  },
  'empty-pool-hold-bounded': {
    broken: gatewayConfig({ overload: { emptyPoolHold: '301s' } }),
    path: 'spec.overload.emptyPoolHold',
  },
  'claims-not-empty': {
    broken: gatewayConfig({ auth: { jwt: { provider: allowed, claims: {} } } }),
    path: 'spec.auth.jwt.claims',
  },
  'claims-or-client-headers': {
    broken: gatewayConfig({
      auth: { jwt: { provider: allowed, claims: { tenant: 'team' } } },
      schedulers: [scheduler({ flowControl: { trustClientHeaders: true } })],
    }),
    path: 'spec.schedulers[0].flowControl.trustClientHeaders',
  },
  'weights-or-config-map': {
    broken: configWithScheduler({ weights: { queue: 1 }, configMapRef: { name: 'plugins' } }),
    path: 'spec.schedulers[0].configMapRef',
  },
  'profile-or-config-map': {
    broken: configWithScheduler({ profile: 'latency', configMapRef: { name: 'plugins' } }),
    path: 'spec.schedulers[0].profile',
  },
  'lru-with-llm-d': {
    broken: configWithScheduler({ scheduler: 'epp', weights: { lru: 0 } }),
    path: 'spec.schedulers[0].weights.lru',
  },
  'selector-not-empty': {
    broken: configWithScheduler({ modelSelector: { matchLabels: {} } }),
    path: 'spec.schedulers[0].modelSelector',
  },
  'selector-values-fit-operator': {
    broken: configWithScheduler({
      modelSelector: { matchExpressions: [{ key: 'app', operator: 'Exists', values: ['a'] }] },
    }),
    path: 'spec.schedulers[0].modelSelector.matchExpressions[0].values',
  },
};
