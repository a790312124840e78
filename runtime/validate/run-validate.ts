import { KINDS } from '../../lib/api/kinds';
import { checkObjects } from '../../lib/translate/check-objects';
import { compileGatewayState } from '../../lib/translate/compile-gateway-state';
import type { SourcedObject } from '../objects/object-source';
import { readObjectFiles } from '../objects/read-object-files';

export interface ValidateResult {
  /** `file:line path: message` of each fault, by file and line; empty when all is well. */
  readonly lines: readonly string[];
  readonly faults: number;
  /** What a gateway of these objects would leave out or ignore; only where they have no fault and one gateway. */
  readonly warnings: readonly string[];
  /** Objects that were read, those of kinds that the gateway does not know left out when all are valid. */
  readonly objects: number;
}

/**
 * Checks the objects of files and folders, each by itself and all of them together; reading nothing that the gateway
 * knows is a fault. Rejects where a path cannot be read.
 */
export async function runValidate(paths: readonly string[]): Promise<ValidateResult> {
  const { objects, faults } = await readObjectFiles(paths);
  const checked = checkObjects(objects);
  const all = 'faults' in checked ? [...faults, ...checked.faults] : [...faults];
  const count = 'objects' in checked ? checked.objects.length : objects.length;
  if (all.length === 0 && count === 0) all.push(nothingFound(paths));
  const lines = all.sort(byLine.compare);
  return { lines, faults: lines.length, warnings: lines.length === 0 ? warningsOf(objects) : [], objects: count };
}

function warningsOf(objects: readonly SourcedObject[]): readonly string[] {
  const compiled = compileGatewayState(objects);
  return 'warnings' in compiled ? compiled.warnings : [];
}

/** Line 2 before line 10. */
const byLine = new Intl.Collator('en', { numeric: true });

function nothingFound(paths: readonly string[]): string {
  const kinds = KINDS.map(({ kind }) => kind).join(', ');
  return `${paths.join(' ')}: no object was found of a kind that the gateway reads: ${kinds}`;
}
