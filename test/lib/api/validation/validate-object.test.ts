import * as fc from 'fast-check';
import { validateObject } from '../../../../lib/api/validation/validate-object';
import { accepted, configWithScheduler, gatewayConfig, refusals, scheduler } from '../support/manifests';

test('every fault is reported at once, each with its path', () => {
  const manifest = gatewayConfig({
    bbr: { enabled: false, replica: 3 },
    schedulers: [
      scheduler({ scheduler: 'epp', weights: { lru: 1, queue: '2' }, configMapRef: { name: 'plugins' } }),
      scheduler({ name: 'other', targetPort: 0 }),
    ],
  });
  expect(refusals(manifest)).toEqual([
    'spec.bbr.replica: unknown field: did you mean replicas?',
    'spec.schedulers[0].weights.queue: must be an integer, at least 0; got "2" (a string: write it without quotes)',
    'spec.schedulers[1].targetPort: must be an integer, from 1 to 65535; got 0',
    expect.stringMatching(/^spec\.bbr\.enabled: bbr must be enabled/),
    expect.stringMatching(/^spec\.schedulers\[1\]\.modelName: modelName must be unique/),
    expect.stringMatching(/^spec\.schedulers\[0\]\.configMapRef: weights and configMapRef are mutually exclusive/),
    expect.stringMatching(/^spec\.schedulers\[0\]\.weights\.lru: weights\.lru is valid only when scheduler is llm-d/),
  ]);
});

test.each<[string, unknown, string]>([
  ['a missing field', gatewayConfig({ bbr: {} }), 'spec.bbr.enabled: is required: it must be true or false'],
  [
    'an unknown field that is near none',
    gatewayConfig({ tls: { secret: 'a' } }),
    'spec.tls.secret: unknown field: remove it; known fields are acmArn, dnsNames, issuerRef',
  ],
  [
    'a misspelt field of metadata',
    gatewayConfig({}, { lables: {} }),
    'metadata.lables: unknown field: did you mean labels?',
  ],
  [
    'a field that is named like a method of every object',
    configWithScheduler({ constructor: 1 }),
    expect.stringContaining('spec.schedulers[0].constructor: unknown field: remove it'),
  ],
  [
    'a number where a text of a form belongs, which quotes would not mend',
    configWithScheduler({ routeTimeout: 3 }),
    expect.stringMatching(/^spec\.schedulers\[0\]\.routeTimeout: .*such as 30s.*; got 3$/),
  ],
  [
    'a number where a string belongs',
    configWithScheduler({ modelName: 7 }),
    expect.stringMatching(/^spec\.schedulers\[0\]\.modelName: .*; got 7 \(put it in quotes\)$/),
  ],
  [
    'a value of an enumeration',
    configWithScheduler({ scheduler: 'gie' }),
    'spec.schedulers[0].scheduler: must be one of "llm-d", "epp"; got "gie"',
  ],
  [
    'a label key',
    configWithScheduler({ modelSelector: { matchLabels: { 'a b': 'c' } } }),
    expect.stringContaining('spec.schedulers[0].modelSelector.matchLabels["a b"]: not a valid key'),
  ],
  [
    'a quantity',
    gatewayConfig({ podDefaults: { resources: { limits: { memory: 'much' } } } }),
    'spec.podDefaults.resources.limits.memory: must be a quantity, such as 2, 500m or 4Gi; got "much"',
  ],
  ['a list where an object belongs', gatewayConfig({ tls: ['a'] }), 'spec.tls: must be an object; got a list of 1'],
])('the message about %s says what to do', (_, manifest, line) => {
  expect(refusals(manifest)).toEqual([line]);
});

test('a value that is wrong in two ways is reported once', () => {
  expect(refusals(configWithScheduler({ modelName: '' }))).toHaveLength(1);
});

test('a long value is cut in the message', () => {
  const [line = ''] = refusals(configWithScheduler({ appProtocol: 'x'.repeat(10_000) }));
  expect(line.length).toBeLessThan(250);
});

test.each([
  ['a Deployment', { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } }],
  [
    'another kind of our API version',
    { apiVersion: 'inference.networking.x-k8s.io/v1alpha2', kind: 'InferenceModel', metadata: { name: 'a' } },
  ],
  ['a Service', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } }],
  ['a Pod of another group', { apiVersion: 'example.com/v1', kind: 'Pod', metadata: { name: 'a' } }],
])('%s is ignored', (_, value) => {
  expect(validateObject(value)).toEqual({ ignored: true });
});

test('no other kind of core/v1 is taken for a misspelt one', () => {
  const kinds =
    'Binding ComponentStatus Endpoints Event LimitRange List Namespace Node PersistentVolume PersistentVolumeClaim PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount';
  for (const kind of kinds.split(' ')) {
    expect([kind, validateObject({ apiVersion: 'v1', kind, metadata: { name: 'a' } })]).toEqual([
      kind,
      { ignored: true },
    ]);
  }
});

test.each<[string, unknown, string]>([
  ['no object', 'text', ': must be a Kubernetes object with apiVersion, kind and metadata'],
  [
    'a misspelt kind',
    { ...gatewayConfig(), kind: 'InferenceGatewayConfg' },
    'kind: unknown kind of inference.sagemaker.aws.amazon.com/v1alpha1: did you mean InferenceGatewayConfig?',
  ],
  ['no kind', { apiVersion: 'v1' }, 'kind: is required: it must be the name of a Kubernetes kind'],
  ['no apiVersion', { kind: 'Pod' }, 'apiVersion: is required: it must be an API version, such as v1'],
  [
    'a kind of ours in another version',
    { ...gatewayConfig(), apiVersion: 'inference.sagemaker.aws.amazon.com/v1' },
    'apiVersion: must be "inference.sagemaker.aws.amazon.com/v1alpha1"; got "inference.sagemaker.aws.amazon.com/v1"',
  ],
])('%s is refused', (_, value, line) => {
  expect(refusals(value)).toEqual([line]);
});

test('a null in a typed field is an absent field, a null that is passed through stays', () => {
  const affinity = { nodeAffinity: { custom: null } };
  const { spec } = accepted(gatewayConfig({ tls: null, observability: null, podDefaults: { affinity } }));
  expect(spec).not.toHaveProperty('tls');
  expect(spec).toMatchObject({ observability: { metrics: { enabled: true } }, podDefaults: { affinity } });
});

test('what is given is not changed', () => {
  const manifest = gatewayConfig({ tls: null });
  const before = structuredClone(manifest);
  validateObject(manifest);
  expect(manifest).toEqual(before);
});

test('no value makes it throw', () => {
  const spec = fc.oneof(
    fc.jsonValue(),
    fc.record({ bbr: fc.jsonValue(), schedulers: fc.array(fc.jsonValue()), auth: fc.jsonValue() }),
  );
  const kind = fc.constantFrom(
    'InferenceGatewayConfig',
    'InferenceModelRewrite',
    'InferenceObjective',
    'Pod',
    'ConfigMap',
  );
  void fc.assert(
    fc.property(
      kind,
      fc.constantFrom('v1', 'inference.sagemaker.aws.amazon.com/v1alpha1'),
      spec,
      fc.jsonValue(),
      (name, apiVersion, body, metadata) => {
        const result = validateObject({ apiVersion, kind: name, metadata, spec: body, data: body, status: body });
        expect(Object.keys(result)).toHaveLength(1);
      },
    ),
  );
});
