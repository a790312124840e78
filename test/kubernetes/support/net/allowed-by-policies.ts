import type { V1LabelSelector, V1NetworkPolicy, V1NetworkPolicyPeer, V1Pod } from '@kubernetes/client-node';

/**
 * Whether NetworkPolicies let a pod connect to a port of another: nothing here enforces them, as a network plugin does.
 * Of what policies can say, Ingress rules with selectors and numbered ports, which are all that the product has.
 */
export function isAllowed(policies: readonly V1NetworkPolicy[], from: V1Pod, to: V1Pod, port: number): boolean {
  const ofPod = policies.filter(
    ({ metadata, spec }) =>
      metadata?.namespace === to.metadata?.namespace && spec !== undefined && selects(spec.podSelector ?? {}, to),
  );
  if (ofPod.length === 0) return true;
  return ofPod.some(({ spec, metadata }) =>
    (spec?.ingress ?? []).some((rule) => {
      const isPort = rule.ports === undefined || rule.ports.some((one) => numbered(one.port) === port);
      // As the API server gives it; the client library's type has another name for it.
      const peers = (rule as { from?: readonly V1NetworkPolicyPeer[] }).from;
      return isPort && (peers === undefined || peers.some((peer) => isPeer(peer, from, metadata?.namespace ?? '')));
    }),
  );
}

function isPeer({ namespaceSelector, podSelector, ipBlock }: V1NetworkPolicyPeer, pod: V1Pod, own: string): boolean {
  if (ipBlock !== undefined) throw new Error('a NetworkPolicy has an ipBlock, which is not understood here');
  const { namespace = '' } = pod.metadata ?? {};
  // Each namespace has its name as a label.
  const isPlace =
    namespaceSelector === undefined
      ? namespace === own
      : matches(namespaceSelector, { 'kubernetes.io/metadata.name': namespace });
  return isPlace && (podSelector === undefined || selects(podSelector, pod));
}

function selects(selector: V1LabelSelector, pod: V1Pod): boolean {
  return matches(selector, pod.metadata?.labels ?? {});
}

function matches({ matchLabels = {}, matchExpressions }: V1LabelSelector, labels: Record<string, string>): boolean {
  if (matchExpressions !== undefined) throw new Error('a NetworkPolicy has matchExpressions, not understood here');
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
}

function numbered(port: unknown): number {
  if (typeof port !== 'number') throw new Error(`a NetworkPolicy names a port ${String(port)}, not a number`);
  return port;
}
