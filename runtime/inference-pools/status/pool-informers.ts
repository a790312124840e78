import { POOL_GROUP, POOL_KIND } from '../../../lib/api/pool-ref';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { type Informer, type InformerOptions, startInformer } from '../../kubernetes/informer';
import { resourceName } from '../../kubernetes/resource-path';
import { resourceOf } from '../../kubernetes/resources';
import { GATEWAY_API } from '../reference';
import type { PoolFacts } from './pool-facts';
import {
  saysTheSame,
  trimGateway,
  trimGatewayClass,
  trimGrant,
  trimListenerSet,
  trimPool,
  trimRoute,
  trimService,
} from './trim';

export type PoolInformersOptions = Pick<InformerOptions, 'client' | 'clock' | 'random' | 'log' | 'signal'> & {
  /** Something that counts has changed, or a kind is known. Must return at once. */
  readonly onChange: () => void;
};

/** The facts of the whole cluster, kept up to date. A kind that the cluster does not serve has no objects. */
export interface PoolInformers {
  facts(): PoolFacts;
  /** Kinds of which not everything is known yet. */
  unknown(): readonly string[];
  /** Every watch has ended. */
  readonly done: Promise<void>;
}

/** An API server that was away is found again soon. Milliseconds. */
const MAX_BACKOFF_MS = 5_000;

export const POOLS = resourceOf(`${POOL_GROUP}/v1`, POOL_KIND);

export function startPoolInformers({ onChange, ...options }: PoolInformersOptions): PoolInformers {
  const all: Informer[] = [];

  function follow(apiVersion: string, kind: string, trim: (object: KubernetesObject) => KubernetesObject): Informer {
    const informer = startInformer({
      ...options,
      resource: resourceOf(apiVersion, kind),
      maxBackoffMs: MAX_BACKOFF_MS,
      trim,
      onSync: onChange,
      onChange(old, now) {
        if (old === undefined || now === undefined || !saysTheSame(old, now)) onChange();
      },
    });
    all.push(informer);
    return informer;
  }

  const pools = follow(`${POOL_GROUP}/v1`, POOL_KIND, trimPool);
  const routes = follow(`${GATEWAY_API}/v1`, 'HTTPRoute', trimRoute);
  const gateways = follow(`${GATEWAY_API}/v1`, 'Gateway', trimGateway);
  const gatewayClasses = follow(`${GATEWAY_API}/v1`, 'GatewayClass', trimGatewayClass);
  const listenerSets = follow(`${GATEWAY_API}/v1`, 'ListenerSet', trimListenerSet);
  const grants = follow(`${GATEWAY_API}/v1beta1`, 'ReferenceGrant', trimGrant);
  const services = follow('v1', 'Service', trimService);

  return {
    facts: () => ({
      pools: pools.list(),
      routes: routes.list(),
      grants: grants.list(),
      gateway: (name, namespace) => gateways.get(name, namespace),
      gatewayClass: (name) => gatewayClasses.get(name),
      listenerSet: (name, namespace) => listenerSets.get(name, namespace),
      service: (name, namespace) => services.get(name, namespace),
    }),
    unknown: () => all.filter((one) => one.state() === 'starting').map(({ resource }) => resourceName(resource)),
    done: Promise.all(all.map(({ done }) => done)).then(() => {}),
  };
}
