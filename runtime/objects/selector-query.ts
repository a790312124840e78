import type { LabelSelector } from '../../lib/translate/gateway-state/label-selector';

/** A label selector as the Kubernetes API takes it in `labelSelector`; the same text for the same requirements. */
export function selectorQuery({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const requirements = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      if (operator === 'Exists') return key;
      if (operator === 'DoesNotExist') return `!${key}`;
      return `${key} ${operator === 'In' ? 'in' : 'notin'} (${[...values].sort().join(',')})`;
    }),
  ];
  return [...new Set(requirements)].sort().join(',');
}
