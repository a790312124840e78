/** A Kubernetes label selector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | ReadonlyArray<{
        readonly key: string;
        readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
        readonly values?: readonly string[] | undefined;
      }>
    | undefined;
}

/** Whether every requirement holds. As in Kubernetes, `NotIn` holds where the label is absent. */
export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const label = (key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => label(key) === value) &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const value = label(key);
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      const listed = value !== undefined && values.includes(value);
      return operator === 'In' ? listed : !listed;
    })
  );
}
