import { Document, isMap, isScalar, type YAMLMap } from 'yaml';
import type { SchemaNode } from '../../api/schema/schema-node';
import { sectionFields } from '../values/sections';

const GENERATED = 'Generated from lib/charts by `npm run generate`. Do not edit.';

/** `values.yaml`: every default, with what it is above it. */
export function valuesYaml(node: SchemaNode, defaults: unknown): string {
  const document = new Document(defaults, { aliasDuplicateObjects: false });
  document.commentBefore = ` ${GENERATED}`;
  if (isMap(document.contents)) addComments(document.contents, node);
  return document.toString({ lineWidth: 0 });
}

function addComments(map: YAMLMap, node: SchemaNode): void {
  for (const [name, field] of sectionFields(node) ?? []) {
    const pair = map.items.find(({ key }) => isScalar(key) && key.value === name);
    if (pair === undefined || !isScalar(pair.key)) continue;
    pair.key.commentBefore = ` ${field.description}`;
    if (isMap(pair.value)) addComments(pair.value, field);
  }
}

/** What of a schema is JSON Schema; the rest are marks of ours. */
const KEYWORDS = new Set([
  'type',
  'description',
  'default',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'items',
  'properties',
  'required',
  'additionalProperties',
  'anyOf',
]);

/** `values.schema.json`, by which Helm refuses a value that is not of its kind. */
export function valuesSchemaJson(node: SchemaNode): string {
  const { properties = {}, ...schema } = keywordsOf(node);
  // A chart that includes this one may hand it its globals.
  const withGlobals = { ...(properties as object), global: { type: 'object' } };
  const draft = { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Values of inference-gateway' };
  return `${JSON.stringify({ ...draft, ...schema, properties: withGlobals }, undefined, 2)}\n`;
}

function keywordsOf(node: SchemaNode): Record<string, unknown> {
  // A section has no default of its own: its values have theirs.
  const isSection = sectionFields(node) !== undefined;
  const entries = Object.entries(node).filter(([word]) => KEYWORDS.has(word) && !(isSection && word === 'default'));
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, keywordValue(keyword, value)]));
}

function keywordValue(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(Object.entries(value as object).map(([name, node]) => [name, keywordsOf(node)]));
    case 'items':
      return keywordsOf(value as SchemaNode);
    case 'anyOf':
      return (value as SchemaNode[]).map(keywordsOf);
    case 'additionalProperties':
      return typeof value === 'object' ? keywordsOf(value as SchemaNode) : value;
    default:
      return value;
  }
}
