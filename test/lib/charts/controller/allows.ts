/** A rule of a Role, as far as these tests look at it. */
export interface RoleRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface Attempt {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Absent: of any name. */
  readonly name?: string;
}

/** Whether the rules allow it, as the API server decides. */
export function allows(rules: readonly RoleRule[], { group, resource, verb, name }: Attempt): boolean {
  return rules.some(
    (rule) =>
      rule.apiGroups?.includes(group) &&
      rule.resources?.includes(resource) &&
      rule.verbs.includes(verb) &&
      (rule.resourceNames === undefined || (name !== undefined && rule.resourceNames.includes(name))),
  );
}

/** Everything that a rule allows for any name. */
export function attemptsOf({ apiGroups = [], resources = [], verbs }: RoleRule): Attempt[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))),
  );
}
