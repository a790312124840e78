import type { Fault, FieldPath } from './fault';
import { items, property } from './loose';

/** A rule over several fields of one object, stated once for the API server (CEL) and once for everybody else. */
export interface Rule {
  /** Stable, kebab-case. */
  readonly name: string;
  /** The node that it constrains, by property names from the object's root; `*` is each item of a list. */
  readonly at: readonly string[];
  /** What is wrong and what to do. One sentence without a stop. */
  readonly message: string;
  /** The test in CEL, `self` being the node; or why the CRD states it otherwise or not at all. */
  readonly cel: { readonly expression: string } | { readonly absentBecause: string };
  /** A rule of ours, which the published contract does not have. */
  readonly extension: boolean;
  /** The offending fields, by path from the node. Other fields may be wrong, missing, or not yet defaulted. */
  readonly violations: (node: unknown) => readonly Violation[];
}

export interface Violation {
  readonly path: FieldPath;
  /** What a person needs besides the message, as the other place of a duplicate. */
  readonly detail?: string;
}

/** Everything that `root` violates, in the order of the rules. */
export function checkRules(rules: readonly Rule[], root: unknown): Fault[] {
  return rules.flatMap((rule) =>
    nodesAt(root, rule.at).flatMap(({ node, path }) =>
      rule.violations(node).map((violation) => ({
        path: [...path, ...violation.path],
        message: violation.detail === undefined ? rule.message : `${rule.message} (${violation.detail})`,
      })),
    ),
  );
}

interface FoundNode {
  readonly node: unknown;
  readonly path: FieldPath;
}

function nodesAt(root: unknown, at: readonly string[]): FoundNode[] {
  let found: FoundNode[] = [{ node: root, path: [] }];
  for (const step of at) {
    found = found.flatMap(({ node, path }) =>
      step === '*'
        ? items(node).map((item, index) => ({ node: item, path: [...path, index] }))
        : [{ node: property(node, step), path: [...path, step] }],
    );
  }
  return found.filter(({ node }) => node !== undefined);
}
