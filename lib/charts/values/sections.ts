import type { SchemaNode } from '../../api/schema/schema-node';

/** A value of an installation: where it is, and what it may be. */
export interface ValueNode {
  /** `controller.replicas`. */
  readonly path: string;
  readonly node: SchemaNode;
}

/** The fields of a section; undefined of a value, be it an object that Kubernetes understands. */
export function sectionFields(node: SchemaNode): readonly (readonly [string, SchemaNode])[] | undefined {
  if (node.typeName === undefined || node.properties === undefined) return undefined;
  return Object.entries(node.properties);
}

/** Every value in and below `node`, in the order of the schema. */
export function valueNodes(node: SchemaNode, path = ''): ValueNode[] {
  const fields = sectionFields(node);
  if (fields === undefined) return [{ path, node }];
  return fields.flatMap(([name, field]) => valueNodes(field, path === '' ? name : `${path}.${name}`));
}
