import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import { schedulerNames } from '../../lib/translate/cluster/names';
import { type Owner, ownerByLabels } from './owner';
import type { Watches } from './watches';

/**
 * The config with only those schedulers whose pods are to be followed: those named in `accepted`, and those that run as an
 * earlier config had them. Their pods come and go, whatever is wrong with the present one.
 */
export function runningSchedulers(
  owner: Owner,
  config: InferenceGatewayConfig,
  accepted: ReadonlySet<string>,
  watches: Pick<Watches, 'find'>,
): InferenceGatewayConfig {
  const { namespace } = config.metadata;
  const schedulers = config.spec.schedulers.filter((scheduler) => {
    if (accepted.has(scheduler.name)) return true;
    const metadata = { name: schedulerNames(scheduler).endpoints, namespace };
    const service = watches.find({ apiVersion: 'v1', kind: 'Service', metadata });
    return service !== undefined && ownerByLabels(service) === owner;
  });
  return { ...config, spec: { ...config.spec, schedulers } };
}
