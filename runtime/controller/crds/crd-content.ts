import { createHash } from 'node:crypto';
import { isRecord } from '../../../lib/api/validation/loose';
import type { CustomResourceDefinition } from './custom-resource-definition';

/** Values that mean something although they are empty. */
const VERBATIM = new Set(['default', 'enum', 'example']);

/**
 * A hash of what a CustomResourceDefinition defines: the same for what was sent to an API server and what it made of
 * it, which leaves out what is empty and the order of fields.
 */
export function crdContent({ spec }: CustomResourceDefinition): string {
  const content = normal({ scope: spec.scope, versions: spec.versions });
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}

function normal(value: unknown, verbatim = false): unknown {
  if (Array.isArray(value)) return value.map((item) => normal(item, verbatim));
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const isVerbatim = verbatim || VERBATIM.has(name);
      const field = value[name];
      return !isVerbatim && isLeftOut(name, field) ? [] : [[name, normal(field, isVerbatim)]];
    }),
  );
}

function isLeftOut(name: string, field: unknown): boolean {
  if (field === null || field === false || field === '' || (Array.isArray(field) && field.length === 0)) return true;
  return name === 'properties' && isRecord(field) && Object.keys(field).length === 0;
}
