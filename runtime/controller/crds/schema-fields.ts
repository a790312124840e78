import { isRecord, property } from '../../../lib/api/validation/loose';
import type { CustomResourceDefinition } from './custom-resource-definition';

/**
 * The paths of all fields in the schema of a version: `spec.rules.*.matches`, with `*` for the items of a list and the
 * values of a map. `**` at the end stands for whatever is below. Empty where there is no such version.
 */
export function schemaFields({ spec }: CustomResourceDefinition, version: string): ReadonlySet<string> {
  const found = new Set<string>();
  gather(spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema, [], found);
  return found;
}

/** Of `wanted`, those that are not among `fields`. */
export function missingFields(wanted: Iterable<string>, fields: ReadonlySet<string>): string[] {
  return [...wanted].filter((path) => !fields.has(path) && !isBelowOpenField(path, fields));
}

function isBelowOpenField(path: string, fields: ReadonlySet<string>): boolean {
  const steps = path.split('.');
  return steps.some((_, length) => fields.has([...steps.slice(0, length), '**'].join('.')));
}

function gather(node: unknown, path: readonly string[], found: Set<string>): void {
  if (!isRecord(node)) return;
  if (path.length > 0) found.add(path.join('.'));
  if (node['x-kubernetes-preserve-unknown-fields'] === true) found.add([...path, '**'].join('.'));
  const properties = property(node, 'properties');
  if (isRecord(properties)) {
    for (const [name, child] of Object.entries(properties)) gather(child, [...path, name], found);
  }
  gather(node.items, [...path, '*'], found);
  gather(node.additionalProperties, [...path, '*'], found);
}
