import type { BackendPool } from '../backend-pool';
import { pickerResource } from '../resource-names';

/** The cluster that asks the picker of a pool; those of one Service and port share it. Undefined: the pool has none. */
export function pickerCluster({ namespace, picker }: BackendPool): string | undefined {
  if (picker === undefined) return undefined;
  return picker.service === undefined ? NO_PICKER : `inference-gateway/${pickerResource(namespace, picker.service)}`;
}

/** Has no endpoints: of a picker that is no Service, and where the filters begin that no route has told whom to ask. */
export const NO_PICKER = 'inference-gateway/endpoint-picker/none';

/** The cluster of one pool of a rule that leads to several: Envoy Gateway makes one of them all. */
export function poolCluster(ruleCluster: string, { namespace, name }: BackendPool): string {
  return `${ruleCluster}/inference-pool/${namespace}/${name}`;
}
