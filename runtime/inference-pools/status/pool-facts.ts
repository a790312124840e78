import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';

/** What the status of InferencePools follows from: of the whole cluster, as last heard of, whole or trimmed. */
export interface PoolFacts {
  readonly pools: readonly KubernetesObject[];
  /** HTTPRoutes. */
  readonly routes: readonly KubernetesObject[];
  /** ReferenceGrants. */
  readonly grants: readonly KubernetesObject[];
  gateway(name: string, namespace: string): KubernetesObject | undefined;
  gatewayClass(name: string): KubernetesObject | undefined;
  listenerSet(name: string, namespace: string): KubernetesObject | undefined;
  service(name: string, namespace: string): KubernetesObject | undefined;
}
