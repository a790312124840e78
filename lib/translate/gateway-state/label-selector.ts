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

type Labels = Readonly<Record<string, string>>;

/** Whether every requirement holds. As in Kubernetes, `NotIn` holds where the label is absent. */
export function selects(selector: LabelSelector, labels: Labels): boolean {
  return selectorTest(selector)(labels);
}

/** The same, for the labels of many objects. */
export function selectorTest({ matchLabels = {}, matchExpressions = [] }: LabelSelector): (labels: Labels) => boolean {
  const equal = Object.entries(matchLabels);
  return (labels) =>
    equal.every(([key, value]) => labelOf(labels, key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labelOf(labels, key);
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      const listed = value !== undefined && values.includes(value);
      return operator === 'In' ? listed : !listed;
    });
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
