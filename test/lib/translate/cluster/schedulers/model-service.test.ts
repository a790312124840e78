import type { KubernetesObject } from '../../../../../lib/translate/cluster/kubernetes-object';
import { modelPodsOf } from '../../../../../lib/translate/cluster/schedulers/model-service';
import { config, type Fields, find, scheduler, translate } from '../support';

const LONG = 'a-model-of-a-name-that-leaves-no-room-for-the-ending-of-a-service';
const serviceOf = (name: string, fields: Fields) =>
  find(translate(config([scheduler(name, fields)])), 'Service', `${name}-pool`);

test.each([
  { modelSelector: { matchLabels: { app: 'llama' } }, targetPort: 8000, appProtocol: 'http' },
  {
    modelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] },
    targetPort: 9999,
    appProtocol: 'kubernetes.io/h2c',
  },
])('the Service says whose pods are behind it, and on which port', (fields) => {
  expect(modelPodsOf(serviceOf('llama', fields))).toEqual({ name: 'llama', ...fields });
});

test('also under a name that was shortened', () => {
  const { objects } = translate(config([scheduler(LONG.slice(0, 63))]));
  const found = objects.flatMap((object) => modelPodsOf(object) ?? []);

  expect(found.map(({ name }) => name)).toEqual([LONG.slice(0, 63)]);
});

describe('an object that does not say it', () => {
  const service = serviceOf('llama', {});
  const [key = ''] = Object.keys(service.metadata.annotations ?? {});
  const says = (text: string): KubernetesObject => ({
    ...service,
    metadata: { ...service.metadata, annotations: { [key]: text } },
  });

  test.each<[string, KubernetesObject]>([
    ['of another kind', { ...service, kind: 'ConfigMap' }],
    ['a copy under another name', { ...service, metadata: { ...service.metadata, name: 'copy' } }],
    ['of no scheduler', { ...service, metadata: { ...service.metadata, labels: {} } }],
    ['without the annotation', { ...service, metadata: { ...service.metadata, annotations: {} } }],
    ['without a port', { ...service, spec: {} }],
    ['a selector that is not JSON', says('app=llama')],
    ['a selector that is no object', says('[]')],
    ['a selector of labels that are none', says('{"matchLabels":"app"}')],
    ['a selector of everything', says('{"matchLabels":{},"matchExpressions":[]}')],
  ])('%s', (_, object) => {
    expect(modelPodsOf(object)).toBeUndefined();
  });
});
