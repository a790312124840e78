import { at, config, find, scheduler, translate } from '../support';

const deployment = (fields: object = {}, spec: object = {}, installation: object = {}) => {
  const translation = translate(config([scheduler('llama', { ...fields })], { ...spec }), {}, installation);
  return find(translation, 'Deployment', translation.pickerDeployments.get('llama')!);
};

const nameOf = (...args: Parameters<typeof deployment>) => deployment(...args).metadata.name;

test.each([
  ['replicas', { replicas: 5 }, {}],
  ['weights', { weights: { queue: 9 } }, {}],
  ['a ConfigMap', { configMapRef: { name: 'plugins' } }, {}],
  ['flow control', { flowControl: {} }, {}],
  ['adapters', { loraAdapters: ['sql'] }, {}],
  ['the selector', { modelSelector: { matchLabels: { app: 'other' } } }, {}],
  ['routers', {}, { bbr: { enabled: true, replicas: 7 } }],
])('%s are followed live: they make no other Deployment', (_, fields, spec) => {
  expect(nameOf(fields, spec)).toBe(nameOf());
});

test.each([
  ['variables', { env: [{ name: 'A', value: '1' }] }, {}, {}],
  ['the log level', { logLevel: 5 }, {}, {}],
  ['resources', {}, { podDefaults: { resources: { requests: { cpu: '2' } } } }, {}],
  ['labels of pods', {}, { podDefaults: { labels: { team: 'a' } } }, {}],
  ['the image', {}, {}, { image: { reference: 'inference-gateway:2', pullPolicy: 'IfNotPresent', pullSecrets: [] } }],
])('%s make another Deployment', (_, fields, spec, installation) => {
  expect(nameOf(fields, spec, installation)).not.toBe(nameOf());
});

test('its pods are told from those of other specs, and the Service takes both', () => {
  const { metadata, spec } = deployment();
  const selector = at(spec, 'selector', 'matchLabels') as Record<string, string>;
  const hash = metadata.name.slice('llama-epp-'.length);
  expect(selector).toMatchObject({ app: 'llama-epp', 'inference.sagemaker.aws.amazon.com/spec-hash': hash });
  expect(at(spec, 'template', 'metadata', 'labels')).toMatchObject(selector);
  const service = at(find(translate(config([scheduler('llama')])), 'Service', 'llama-epp'), 'spec', 'selector');
  expect(service).toMatchObject({ app: 'llama-epp' });
  expect(service).not.toHaveProperty(['inference.sagemaker.aws.amazon.com/spec-hash']);
});

test('pod defaults are added, and cannot undo what pods are found by or protected with', () => {
  const labels = { app: 'mine', 'inference.sagemaker.aws.amazon.com/scheduler': 'mine', team: 'a' };
  const template = at(
    deployment(
      { env: [{ name: 'A', value: 'own' }] },
      {
        podDefaults: {
          labels,
          env: [
            { name: 'A', value: 'default' },
            { name: 'B', value: 'b' },
          ],
          nodeSelector: { pool: 'x' },
        },
      },
    ),
    'spec',
    'template',
  );
  expect(at(template, 'metadata', 'labels')).toMatchObject({
    app: 'llama-epp',
    'inference.sagemaker.aws.amazon.com/scheduler': 'llama',
    team: 'a',
  });
  expect(at(template, 'spec', 'nodeSelector')).toEqual({ pool: 'x' });
  expect(at(template, 'spec', 'containers', 0, 'env')).toEqual([
    { name: 'A', value: 'own' },
    { name: 'B', value: 'b' },
  ]);
});
