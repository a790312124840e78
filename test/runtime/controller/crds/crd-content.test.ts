import { crdContent } from '../../../../runtime/controller/crds/crd-content';
import type { CustomResourceDefinition } from '../../../../runtime/controller/crds/custom-resource-definition';
import { definition } from './support/definitions';

const base = definition();

test('it does not depend on the order of fields, nor on what is empty', () => {
  const version = base.spec.versions[0]!;
  const rewritten = {
    schema: version.schema!,
    storage: true,
    served: true,
    name: 'v1',
    deprecated: false,
    additionalPrinterColumns: [],
  };
  expect(crdContent(withVersion(rewritten))).toBe(crdContent(base));
});

test('nor on the order of fields in a default', () => {
  const withDefault = (value: object) =>
    withVersion({ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { default: value } } });
  expect(crdContent(withDefault({ a: false, b: '' }))).toBe(crdContent(withDefault({ b: '', a: false })));
});

test('it does not depend on metadata, status, nor on what the API server adds beside the versions', () => {
  const served = {
    ...base,
    metadata: { ...base.metadata, annotations: { a: 'b' }, resourceVersion: '7' },
    spec: { ...base.spec, conversion: { strategy: 'None' } },
    status: { storedVersions: ['v1'] },
  } as CustomResourceDefinition;
  expect(crdContent(served)).toBe(crdContent(base));
});

test.each([
  ['a field', definition({ fields: ['color'] })],
  ['a description', definition({ description: 'Things.' })],
  ['a version', definition({ versions: ['v1', 'v2'] })],
  ['what is served', definition({ served: false })],
  ['the scope', { ...base, spec: { ...base.spec, scope: 'Cluster' } }],
])('it depends on %s', (_, other) => {
  expect(crdContent(other)).not.toBe(crdContent(base));
});

test.each([false, '', [], {}])('a default of %j is content', (value) => {
  const schema = (extra: object) => ({ openAPIV3Schema: { type: 'object', properties: { a: extra } } });
  const version = { name: 'v1', served: true, storage: true };
  const withDefault = withVersion({ ...version, schema: schema({ type: 'string', default: value }) });
  expect(crdContent(withDefault)).not.toBe(crdContent(withVersion({ ...version, schema: schema({ type: 'string' }) })));
});

function withVersion(version: CustomResourceDefinition['spec']['versions'][number]): CustomResourceDefinition {
  return { ...base, spec: { ...base.spec, versions: [version] } };
}
