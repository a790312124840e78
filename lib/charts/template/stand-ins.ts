import type { SchemaNode } from '../../api/schema/schema-node';
import { sectionFields } from '../values/sections';
import { stringExpression, valueExpression } from './expression';

/** What Helm has at `path` of its values, for each value of the schema; in the shape of the values themselves. */
export function standIns(node: SchemaNode, path = '.Values'): unknown {
  const fields = sectionFields(node);
  if (fields === undefined) return node.type === 'string' ? stringExpression(path) : valueExpression(path);
  return Object.fromEntries(fields.map(([name, field]) => [name, standIns(field, `${path}.${name}`)]));
}
