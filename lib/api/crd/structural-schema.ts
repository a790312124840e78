import type { SchemaNode } from '../schema/schema-node';
import type { Rule } from '../validation/rule';

/** A node of an OpenAPI v3 schema that the API server takes as structural: every node typed, no references. */
export interface StructuralNode {
  type?: string;
  description?: string;
  default?: unknown;
  nullable?: boolean;
  enum?: readonly unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: StructuralNode;
  properties?: Record<string, StructuralNode>;
  required?: readonly string[];
  additionalProperties?: StructuralNode;
  anyOf?: readonly StructuralNode[];
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: readonly string[];
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message: string }[];
}

/** Keywords that OpenAPI has too, in the order in which they are written. */
const SHARED_KEYWORDS = [
  'type',
  'description',
  'default',
  'nullable',
  'enum',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
] as const;

/**
 * The structural form of `node`, with the CEL of those `rules` that are about it or about what is in it. `at` is where
 * the node is, as rules write it. Throws on a node that cannot be structural: a mistake in a schema of ours.
 */
export function structuralSchema(node: SchemaNode, rules: readonly Rule[], at: readonly string[]): StructuralNode {
  if (node['x-kubernetes-int-or-string'] === true) return intOrString(node);
  if (node.type === undefined) throw new Error(`schema node ${at.join('.')} has no type`);
  const result: StructuralNode = Object.fromEntries(
    SHARED_KEYWORDS.flatMap((keyword) => (node[keyword] === undefined ? [] : [[keyword, node[keyword]]])),
  );
  if (node.type === 'integer') result.format = integerFormat(node);
  if (node.items !== undefined) result.items = structuralSchema(node.items, rules, [...at, '*']);
  if (node.properties !== undefined && Object.keys(node.properties).length > 0) {
    result.properties = Object.fromEntries(
      Object.entries(node.properties).map(([name, field]) => [name, structuralSchema(field, rules, [...at, name])]),
    );
  }
  const others = node.additionalProperties;
  if (typeof others === 'object' && others.type === undefined && others.anyOf === undefined) {
    result['x-kubernetes-preserve-unknown-fields'] = true;
  } else if (typeof others === 'object') {
    result.additionalProperties = structuralSchema(others, rules, [...at, '*']);
  }
  const validations = validationsAt(rules, at);
  if (validations.length > 0) result['x-kubernetes-validations'] = validations;
  return result;
}

function validationsAt(rules: readonly Rule[], at: readonly string[]): { rule: string; message: string }[] {
  return rules.flatMap((rule) =>
    rule.at.join('.') === at.join('.') && 'expression' in rule.cel
      ? [{ rule: rule.cel.expression, message: rule.message }]
      : [],
  );
}

/** The one form of a union that a structural schema may have. */
function intOrString(node: SchemaNode): StructuralNode {
  const pattern = node.anyOf?.find(({ type }) => type === 'string')?.pattern;
  const minimum = node.anyOf?.find(({ type }) => type === 'integer')?.minimum;
  return {
    ...(node.description === undefined ? {} : { description: node.description }),
    ...(node.default === undefined ? {} : { default: node.default }),
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    ...(minimum === undefined ? {} : { minimum }),
    ...(pattern === undefined ? {} : { pattern }),
    'x-kubernetes-int-or-string': true,
  };
}

function integerFormat(node: SchemaNode): string {
  return node.format ?? ((node.maximum ?? Number.POSITIVE_INFINITY) <= 2_147_483_647 ? 'int32' : 'int64');
}
