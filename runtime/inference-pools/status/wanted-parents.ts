import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { nameOf } from '../reference';
import { acceptedAt } from './accepted';
import type { Judgement } from './judgement';
import { leadingGateways } from './leading-gateways';
import type { PoolFacts } from './pool-facts';
import { resolvedRefs } from './resolved-refs';

/** What a pool's status has to say about one Gateway. */
export interface WantedParent {
  readonly namespace: string;
  readonly name: string;
  /** By type. */
  readonly conditions: Readonly<Record<'Accepted' | 'ResolvedRefs', Judgement>>;
}

export interface JudgedPool {
  /** As it was judged. */
  readonly pool: KubernetesObject;
  /** By namespace and name of the Gateway. */
  readonly parents: readonly WantedParent[];
}

/**
 * Of every pool, by `namespace/name`, which parents its status is to have from us. `controllerName`: of the GatewayClasses
 * that Envoy Gateway serves.
 */
export function wantedParents(facts: PoolFacts, controllerName: string): ReadonlyMap<string, JudgedPool> {
  const leading = leadingGateways(facts, controllerName);
  return new Map(
    facts.pools.map((pool) => {
      const gateways = leading.get(nameOf(pool.metadata)) ?? [];
      if (gateways.length === 0) return [nameOf(pool.metadata), { pool, parents: [] }];
      const ResolvedRefs = resolvedRefs(pool, facts);
      const parents = gateways
        .map((gateway) => {
          const { namespace, name } = gateway;
          return { namespace, name, conditions: { Accepted: acceptedAt(gateway), ResolvedRefs } };
        })
        .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
      return [nameOf(pool.metadata), { pool, parents }];
    }),
  );
}
