import { z } from 'zod';
import { schemaNode } from '../../../../lib/api/schema/schema-node';
import { valuesSchemaJson, valuesYaml } from '../../../../lib/charts/output/values-files';

const node = schemaNode(
  z
    .strictObject({
      part: z
        .strictObject({ count: z.int32().min(0).default(2).meta({ description: 'How many.' }) })
        .meta({ typeName: 'Part' })
        .prefault({})
        .meta({ description: 'A part.' }),
      mode: z.enum(['a', 'b']).default('a').meta({ description: 'Which.', typeName: 'Mode', expects: 'a mode' }),
    })
    .meta({ typeName: 'Values' }),
);

test('values.yaml has every default, and above it what it is', () => {
  expect(
    valuesYaml(node, { part: { count: 2 }, mode: 'a' }),
  ).toBe(`# Generated from lib/charts by \`npm run generate\`. Do not edit.

# A part.
part:
  # How many.
  count: 2
# Which.
mode: a
`);
});

test('values.schema.json is closed, lets globals pass, and has no marks of ours', () => {
  expect(JSON.parse(valuesSchemaJson(node))).toEqual({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of inference-gateway',
    type: 'object',
    additionalProperties: false,
    properties: {
      part: {
        description: 'A part.',
        type: 'object',
        additionalProperties: false,
        properties: { count: { description: 'How many.', type: 'integer', minimum: 0, default: 2 } },
      },
      mode: { description: 'Which.', type: 'string', enum: ['a', 'b'], default: 'a' },
      global: { type: 'object' },
    },
  });
});
