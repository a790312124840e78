import type { z } from 'zod';
import { expectation } from '../schema/describe-node';
import { nodeAt, type SchemaNode } from '../schema/schema-node';
import type { Fault, FieldPath } from './fault';
import { items, property } from './loose';
import { nearestName } from './nearest-name';

/** What the schema says is wrong with `value`, in words of ours. */
export function schemaFaults(issues: readonly z.core.$ZodIssue[], value: unknown, root: SchemaNode): Fault[] {
  const faults = issues.flatMap((issue) => faultsOf(issue, value, root));
  // One message tells everything that a field must be; a value that is wrong in two ways gets it once.
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
}

function faultsOf(issue: z.core.$ZodIssue, value: unknown, root: SchemaNode): Fault[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  if (issue.code === 'unrecognized_keys') return unknownFields(issue.keys, path, root);
  if (issue.code === 'invalid_key')
    return [{ path, message: `not a valid key: it must be ${keyExpectation(root, path)}` }];
  const node = nodeAt(root, path);
  const actual = valueAt(value, path);
  if (actual === undefined) return [{ path, message: missing(node) }];
  const expected = node === undefined ? 'another value' : expectation(node);
  return [{ path, message: `must be ${expected}; got ${show(actual)}${hint(node, actual)}` }];
}

function unknownFields(names: readonly string[], path: FieldPath, root: SchemaNode): Fault[] {
  const known = Object.keys(nodeAt(root, path)?.properties ?? {});
  return names.map((name) => {
    const near = nearestName(name, known);
    const advice = near === undefined ? `remove it; known fields are ${known.join(', ')}` : `did you mean ${near}?`;
    return { path: [...path, name], message: `unknown field: ${advice}` };
  });
}

function keyExpectation(root: SchemaNode, path: FieldPath): string {
  const names = nodeAt(root, path.slice(0, -1))?.propertyNames;
  return names === undefined ? 'another key' : expectation(names);
}

function missing(node: SchemaNode | undefined): string {
  return node === undefined ? 'is required' : `is required: it must be ${expectation(node)}`;
}

function valueAt(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((at, step) => (typeof step === 'number' ? items(at)[step] : property(at, step)), value);
}

/** The value, short enough for one line of a terminal. */
function show(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 76)}…" (${value.length} characters)`;
}

/** YAML's usual traps. */
function hint(node: SchemaNode | undefined, actual: unknown): string {
  if (node === undefined) return '';
  const plain = node.type === 'integer' || node.type === 'number' || node.type === 'boolean';
  if (plain && typeof actual === 'string' && /^(true|false|-?\d+(\.\d+)?)$/.test(actual)) {
    return ' (a string: write it without quotes)';
  }
  if (node.type === 'string' && (typeof actual === 'number' || typeof actual === 'boolean')) {
    // In quotes a number would not be right either where the text must be of a form, as `3s`.
    return node.pattern === undefined || new RegExp(node.pattern, 'u').test(String(actual))
      ? ' (put it in quotes)'
      : '';
  }
  if (typeof actual === 'string' && /^\s|\s$/.test(actual)) return ' (white space at its end or beginning)';
  return '';
}
