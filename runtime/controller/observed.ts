import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { gatewayNames } from '../../lib/translate/cluster/names';
import { isAttached } from '../../lib/translate/cluster/status/attachment';
import type { Observed } from '../../lib/translate/cluster/status/observed';
import type { AppliedObjects } from './applied-objects';
import { ownerOfConfig } from './owner';
import type { Watches } from './watches';
import { schedulerOf } from './write-failure';

/** What of a gateway is in the cluster, as far as informers know; what was applied since is judged as nothing yet. */
export function observedOf(
  config: KubernetesObject,
  watches: Pick<Watches, 'owned' | 'envoys' | 'pods'>,
  applied: Pick<AppliedObjects, 'withGeneration'>,
): Omit<Observed, 'certificate'> {
  const { name, namespace = 'default' } = config.metadata;
  const names = gatewayNames({ metadata: { name, namespace } });
  const owned = watches.owned(ownerOfConfig(config));
  const deployments = owned.filter(({ kind }) => kind === 'Deployment');
  const gateway = owned.find(({ kind }) => kind === 'Gateway');
  const envoys = watches.envoys(names.gateway);
  return {
    gateway: gateway && applied.withGeneration(gateway),
    attached: owned.filter(isAttached).map((object) => applied.withGeneration(object)),
    envoys: envoys.filter(({ kind }) => kind === 'Deployment'),
    requested: requestedCertificate(config, watches, applied),
    entrances: [...owned.filter(({ kind }) => kind === 'Ingress'), ...envoys.filter(({ kind }) => kind === 'Service')],
    router: deployments.find(
      ({ metadata }) => metadata.name === names.router && schedulerOf({ metadata }) === undefined,
    ),
    pickers: deployments.filter((object) => schedulerOf(object) !== undefined),
    pods: watches.pods(namespace),
  };
}

/** The Certificate of what clients see. */
export function requestedCertificate(
  config: KubernetesObject,
  watches: Pick<Watches, 'owned'>,
  applied: Pick<AppliedObjects, 'withGeneration'>,
): KubernetesObject | undefined {
  const { name, namespace = 'default' } = config.metadata;
  const { certificate } = gatewayNames({ metadata: { name, namespace } });
  const requested = watches
    .owned(ownerOfConfig(config))
    .find(({ kind, metadata }) => kind === 'Certificate' && metadata.name === certificate);
  return requested && applied.withGeneration(requested);
}
