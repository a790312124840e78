import type { SchemaNode } from './schema-node';

/** An object or an enumeration that has a name of its own, and where it occurs. */
export interface NamedType {
  readonly name: string;
  readonly node: SchemaNode;
  /** As people write it: `spec.schedulers[].weights`. The first place, where there are several. */
  readonly place: string;
}

/** The named types in and below `node`, an outer one before those inside it, each once. */
export function namedTypes(node: SchemaNode, place: string): NamedType[] {
  const found = new Map<string, NamedType>();
  collect(node, place, found);
  return [...found.values()];
}

function collect(node: SchemaNode, place: string, found: Map<string, NamedType>): void {
  if (node.typeName !== undefined) {
    if (found.has(node.typeName)) return;
    found.set(node.typeName, { name: node.typeName, node, place });
  }
  for (const [name, field] of Object.entries(node.properties ?? {})) collect(field, `${place}.${name}`, found);
  if (node.items !== undefined) collect(node.items, `${place}[]`, found);
}
