import type { CustomResourceDefinition } from '../../../../runtime/controller/crds/custom-resource-definition';
import { missingFields, schemaFields } from '../../../../runtime/controller/crds/schema-fields';
import { definition } from './support/definitions';

const text = { type: 'string' };
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        rules: { type: 'array', items: { type: 'object', properties: { name: text } } },
        labels: { type: 'object', additionalProperties: text },
        raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
};

const fields = schemaFields(withSchema(schema), 'v1');

test('fields are named by their path, with a star for items and values', () => {
  expect([...fields].sort()).toEqual([
    'spec',
    'spec.labels',
    'spec.labels.*',
    'spec.raw',
    'spec.raw.**',
    'spec.rules',
    'spec.rules.*',
    'spec.rules.*.name',
  ]);
});

test('a version that is not there has none', () => {
  expect(schemaFields(withSchema(schema), 'v2').size).toBe(0);
});

test('what is missing is told, and nothing below an open field is', () => {
  expect(missingFields(['spec.rules.*.name', 'spec.rules.*.kind', 'spec.raw.a.b', 'status'], fields)).toEqual([
    'spec.rules.*.kind',
    'status',
  ]);
});

function withSchema(openAPIV3Schema: unknown): CustomResourceDefinition {
  const base = definition();
  return {
    ...base,
    spec: { ...base.spec, versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }] },
  };
}
