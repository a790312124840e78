import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
} from 'yaml';
import type { SourcedObject } from './object-source';

/** What is wrong with a YAML text, at a line counted from 1. */
export interface YamlFault {
  readonly line: number;
  readonly message: string;
}

/** Values that the aliases of one document may stand for, all together; more is an attack or a mistake. */
const MAX_ALIASED_VALUES = 1_000;

/**
 * The Kubernetes objects of a YAML or JSON text, which may hold several documents. Empty documents are skipped, the
 * items of a `kind: List` stand for themselves. A document with a fault yields no object. Never throws.
 */
export function parseYamlDocuments(
  text: string,
  source: string,
): { objects: readonly SourcedObject[]; faults: readonly YamlFault[] } {
  const lines = new LineCounter();
  const objects: SourcedObject[] = [];
  const faults: YamlFault[] = [];
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line);
  for (const document of documentsOf(text, lines, faults)) {
    if (document.errors.length > 0) {
      faults.push(...document.errors.map((error) => ({ line: lineAt(error.pos[0]), message: error.message })));
      continue;
    }
    const root = document.contents;
    if (root === null || (isScalar(root) && root.value === null)) continue;
    const start = lineAt(root.range?.[0] ?? 0);
    try {
      const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASED_VALUES });
      const lineOf = (path: ReadonlyArray<string | number>) => lineAt(offsetOf(document, path));
      objects.push(...flattened({ source, value, lineOf }, start, faults));
    } catch (error) {
      faults.push({ line: start, message: `cannot be read: ${reason(error)}` });
    }
  }
  return { objects, faults };
}

function documentsOf(text: string, lines: LineCounter, faults: YamlFault[]): readonly Document[] {
  try {
    const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, merge: true });
    return Array.isArray(documents) ? documents : [];
  } catch (error) {
    faults.push({ line: 1, message: `cannot be read: ${reason(error)}` });
    return [];
  }
}

function reason(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply';
  return error instanceof Error ? error.message : String(error);
}

function flattened(object: Required<SourcedObject>, line: number, faults: YamlFault[]): SourcedObject[] {
  const { source, value, lineOf } = object;
  if (typeof value !== 'object' || value === null || !('kind' in value) || value.kind !== 'List') return [object];
  const items = 'items' in value ? (value.items ?? []) : [];
  if (!Array.isArray(items)) {
    faults.push({ line: lineOf(['items']) ?? line, message: 'items of a List must be a list' });
    return [];
  }
  return items.flatMap((item: unknown, index) => {
    const inner = (path: ReadonlyArray<string | number>) => lineOf(['items', index, ...path]);
    return flattened({ source, value: item, lineOf: inner }, inner([]) ?? line, faults);
  });
}

/** Offset of the key or item at `path`, or of the nearest parent that is there. */
function offsetOf(document: Document, path: ReadonlyArray<string | number>): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  for (const step of path) {
    const next = child(resolved(document, node), step);
    if (next === undefined) return offset;
    offset = next.offset ?? offset;
    node = next.node;
  }
  return offset;
}

function resolved(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function child(parent: unknown, step: string | number): { node: unknown; offset: number | undefined } | undefined {
  if (isSeq(parent) && typeof step === 'number' && step < parent.items.length) {
    const item = parent.items[step];
    return { node: item, offset: startOf(item) };
  }
  if (!isMap(parent)) return undefined;
  const pair = parent.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
  return pair && { node: pair.value, offset: startOf(pair.key) };
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined;
}
