import type { Installation } from '../../lib/translate/cluster/types';
import type { Resource, Selection } from '../kubernetes/api-client';
import { resourceOf } from '../kubernetes/resources';

/** A kind of which the controller makes objects. */
export interface OwnedKind {
  readonly resource: Resource;
  /** It makes, and looks at, those of the system namespace alone. */
  readonly systemOnly?: true;
  /** The same, of the namespace of the Envoys. */
  readonly envoyOnly?: true;
}

/**
 * Kinds of which the controller makes objects, and which it therefore watches and prunes, by its label. The controller's
 * roles follow it. Of Secrets it makes some in other namespaces too, but lists none there: those have the
 * InferenceGatewayConfig as their owner, and go with it.
 */
export const OWNED_KINDS: readonly OwnedKind[] = [
  ...kinds('v1', 'ServiceAccount', 'ConfigMap', 'Service'),
  ...kinds('rbac.authorization.k8s.io/v1', 'Role', 'RoleBinding'),
  ...kinds('apps/v1', 'Deployment'),
  ...kinds('policy/v1', 'PodDisruptionBudget'),
  ...kinds('networking.k8s.io/v1', 'NetworkPolicy'),
  ...kinds('discovery.k8s.io/v1', 'EndpointSlice'),
  ...kinds('gateway.networking.k8s.io/v1', 'HTTPRoute'),
  ...kinds(
    'gateway.envoyproxy.io/v1alpha1',
    'BackendTrafficPolicy',
    'EnvoyExtensionPolicy',
    'HTTPRouteFilter',
    'SecurityPolicy',
  ),
  ...kinds('inference.networking.k8s.io/v1', 'InferencePool'),
  ...[
    ...kinds('v1', 'Secret'),
    ...kinds('gateway.networking.k8s.io/v1', 'Gateway', 'BackendTLSPolicy'),
    ...kinds('gateway.networking.k8s.io/v1beta1', 'ReferenceGrant'),
    ...kinds('gateway.envoyproxy.io/v1alpha1', 'EnvoyProxy', 'ClientTrafficPolicy'),
    ...kinds('cert-manager.io/v1', 'Certificate', 'Issuer'),
  ].map((kind) => ({ ...kind, systemOnly: true as const })),
  ...[...kinds('networking.k8s.io/v1', 'Ingress'), ...kinds('elbv2.k8s.aws/v1beta1', 'TargetGroupBinding')].map(
    (kind) => ({ ...kind, envoyOnly: true as const }),
  ),
];

/** Groups that others serve, or nobody: a gateway does without. */
const OPTIONAL_GROUPS: ReadonlySet<string> = new Set(['cert-manager.io', 'elbv2.k8s.aws', 'llm-d.ai']);

export function isOptional({ group }: Pick<Resource, 'group'>): boolean {
  return OPTIONAL_GROUPS.has(group);
}

/** Where objects of the kind are; of which gateway, says the label selector. */
export function placeOf(kind: OwnedKind, installation: Installation, labelSelector: string): Selection {
  if (kind.systemOnly) return { labelSelector, namespace: installation.systemNamespace };
  if (kind.envoyOnly) return { labelSelector, namespace: installation.envoyNamespace };
  return { labelSelector };
}

function kinds(apiVersion: string, ...names: readonly string[]): OwnedKind[] {
  return names.map((kind) => ({ resource: resourceOf(apiVersion, kind) }));
}
