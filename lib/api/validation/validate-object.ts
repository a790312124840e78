import { type GatewayObject, KINDS, type Kind } from '../kinds';
import { nodeAt, type SchemaNode } from '../schema/schema-node';
import type { Fault } from './fault';
import { isRecord, textOf } from './loose';
import { nearestName } from './nearest-name';
import { checkRules } from './rule';
import { schemaFaults } from './schema-faults';

export type ObjectResult =
  /** Valid, defaults filled in. */
  | { readonly object: GatewayObject }
  /** Everything that is wrong with it; at least one. */
  | { readonly faults: readonly Fault[] }
  /** Of a kind that the gateway does not read. */
  | { readonly ignored: true };

/** Validates one Kubernetes object, as parsed from YAML or JSON. Never throws; `value` is not changed. */
export function validateObject(value: unknown): ObjectResult {
  if (!isRecord(value)) return fault([], 'must be a Kubernetes object with apiVersion, kind and metadata');
  const kindName = textOf(value.kind);
  if (kindName === undefined) return fault(['kind'], 'is required: it must be the name of a Kubernetes kind');
  const apiVersion = textOf(value.apiVersion);
  if (apiVersion === undefined) return fault(['apiVersion'], 'is required: it must be an API version, such as v1');

  const kind = KINDS.find((candidate) => candidate.kind === kindName);
  if (kind === undefined) return misspeltKind(kindName, apiVersion) ?? { ignored: true };
  if (kind.core && !kind.apiVersions.includes(apiVersion)) return { ignored: true };
  return validateKind(kind, value);
}

/** Other kinds of the same API version are further away than this: a Node is no misspelt Pod. */
function misspeltKind(kindName: string, apiVersion: string): ObjectResult | undefined {
  const candidates = KINDS.filter(({ apiVersions }) => apiVersions.includes(apiVersion)).map(({ kind }) => kind);
  const near = nearestName(kindName, candidates, kindName.length > 6 ? 2 : 1);
  return near === undefined ? undefined : fault(['kind'], `unknown kind of ${apiVersion}: did you mean ${near}?`);
}

function validateKind(kind: Kind, written: unknown): ObjectResult {
  const value = withoutNulls(written, kind.node);
  const result = kind.schema.safeParse(value);
  const faults = [
    ...(result.success ? [] : schemaFaults(result.error.issues, value, kind.node)),
    ...checkRules(kind.rules, value),
  ];
  // Without faults the schema of the kind has passed, and its output is an object of that kind.
  return faults.length === 0 ? { object: result.data as GatewayObject } : { faults };
}

/** The API server takes a known field that is null (`tls:` and nothing after it) for one that is absent; so do we. */
function withoutNulls(value: unknown, node: SchemaNode | undefined): unknown {
  if (node === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, node.items));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).flatMap(([name, field]) => {
    const known = nodeAt(node, [name]);
    return field === null && isTyped(known) ? [] : [[name, withoutNulls(field, known)] as const];
  });
  return Object.fromEntries(kept);
}

/** Not so what is passed through: a null there may mean something to whom it is passed. */
function isTyped(node: SchemaNode | undefined): boolean {
  return node?.type !== undefined || node?.anyOf !== undefined;
}

function fault(path: Fault['path'], message: string): ObjectResult {
  return { faults: [{ path, message }] };
}
