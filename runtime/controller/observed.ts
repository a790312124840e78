import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { gatewayNames } from '../../lib/translate/cluster/names';
import type { Observed } from '../../lib/translate/cluster/status/observed';
import { ownerOfConfig } from './owner';
import type { Watches } from './watches';
import { schedulerOf } from './write-failure';

/** Kinds of which Envoy Gateway says whether it has taken an object. */
const ATTACHED: ReadonlySet<string> = new Set([
  'HTTPRoute',
  'BackendTLSPolicy',
  'BackendTrafficPolicy',
  'ClientTrafficPolicy',
  'EnvoyExtensionPolicy',
  'SecurityPolicy',
]);

/** What of a gateway is in the cluster, as far as informers know. */
export function observedOf(
  config: KubernetesObject,
  watches: Pick<Watches, 'owned' | 'envoys' | 'pods'>,
): Omit<Observed, 'certificate'> {
  const { name, namespace = 'default' } = config.metadata;
  const names = gatewayNames({ metadata: { name, namespace } });
  const owned = watches.owned(ownerOfConfig(config));
  const deployments = owned.filter(({ kind }) => kind === 'Deployment');
  return {
    gateway: owned.find(({ kind }) => kind === 'Gateway'),
    attached: owned.filter(({ kind }) => ATTACHED.has(kind)),
    envoys: watches.envoys(names.gateway).filter(({ kind }) => kind === 'Deployment'),
    router: deployments.find(
      ({ metadata }) => metadata.name === names.router && schedulerOf({ metadata }) === undefined,
    ),
    pickers: deployments.filter((object) => schedulerOf(object) !== undefined),
    pods: watches.pods(namespace),
  };
}
