import { z } from 'zod';

/**
 * A schema as plain data: JSON Schema of what a user writes, with the marks that the schemas carry as metadata. The CRD,
 * the reference page, the interfaces and the messages are all read from it.
 */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly propertyNames?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  /** A field of ours, which the published contract does not have. */
  readonly extension?: boolean;
  /** The API server takes null too; it is as if the field were absent. */
  readonly nullable?: boolean;
  /** Name of the interface or enum in the generated types. */
  readonly typeName?: string;
  /** What a value must look like, in words: replaces the pattern in messages and pages. */
  readonly expects?: string;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
}

/** Bounds that only say which numbers a computer can hold. */
const MACHINE_BOUNDS = new Set([Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, -2_147_483_648, 2_147_483_647]);

/** The plain-data form of a schema. */
export function schemaNode(schema: z.ZodType): SchemaNode {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (MACHINE_BOUNDS.has(jsonSchema.minimum ?? Number.NaN)) delete jsonSchema.minimum;
      if (jsonSchema.maximum === 2_147_483_647) jsonSchema.format = 'int32';
      if (MACHINE_BOUNDS.has(jsonSchema.maximum ?? Number.NaN)) delete jsonSchema.maximum;
    },
  }) as SchemaNode;
}

/** The node at a path of property names and list indices; undefined where the schema has none. */
export function nodeAt(root: SchemaNode, path: readonly (string | number)[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  for (const step of path) {
    if (node === undefined) return undefined;
    node = typeof step === 'number' ? node.items : propertyNode(node, step);
  }
  return node;
}

function propertyNode(node: SchemaNode, name: string): SchemaNode | undefined {
  if (node.properties !== undefined && Object.hasOwn(node.properties, name)) return node.properties[name];
  return typeof node.additionalProperties === 'object' ? node.additionalProperties : undefined;
}
