import { BBR_MANAGED_LABEL } from '../../lib/api/config-map';
import { items, propertyAt } from '../../lib/api/validation/loose';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';

/**
 * Whether a gateway of its namespace reads the ConfigMap: for its label, or because a scheduler names it. Others may be
 * written all the time, by whatever runs there.
 */
export function isReferred({ metadata }: KubernetesObject, configs: Iterable<KubernetesObject>): boolean {
  if (metadata.labels?.[BBR_MANAGED_LABEL] === 'true') return true;
  for (const config of configs) {
    if (config.metadata.namespace !== metadata.namespace) continue;
    const schedulers = items(propertyAt(config.spec, 'schedulers'));
    if (schedulers.some((scheduler) => propertyAt(scheduler, 'configMapRef', 'name') === metadata.name)) return true;
  }
  return false;
}
