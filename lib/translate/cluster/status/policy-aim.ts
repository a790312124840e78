import { items, propertyAt } from '../../../api/validation/loose';
import type { KubernetesObject } from '../kubernetes-object';

/** False for a policy that selects routes by their labels and finds none: Envoy Gateway says nothing of it. */
export function isAimed({ spec }: KubernetesObject, others: readonly KubernetesObject[]): boolean {
  const selectors = items(propertyAt(spec, 'targetSelectors'));
  if (selectors.length === 0) return true;
  return selectors.some((selector) => {
    const wanted = Object.entries(propertyAt(selector, 'matchLabels') ?? {});
    return others.some(
      ({ kind, metadata }) =>
        kind === propertyAt(selector, 'kind') && wanted.every(([name, value]) => metadata.labels?.[name] === value),
    );
  });
}
