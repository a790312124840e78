import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';

/**
 * Kinds in the order in which they are applied, those of one line together. Whatever an object needs comes before it:
 * what pods mount and may do before the pods, addresses and policies before the routes that rely on them. A route never
 * comes before the policy that guards it.
 */
const WAVES: ReadonlyArray<readonly string[]> = [
  ['ServiceAccount', 'Role', 'ConfigMap', 'Secret', 'NetworkPolicy'],
  // Who may not do all that a Role grants is asked for the right to bind it, and so the Role must be there. A Secret that
  // goes before its Certificate would be issued again.
  ['RoleBinding', 'Service', 'Issuer', 'Certificate'],
  ['EndpointSlice', 'Deployment', 'PodDisruptionBudget'],
  [
    'EnvoyProxy',
    'InferencePool',
    'HTTPRouteFilter',
    'ReferenceGrant',
    'BackendTLSPolicy',
    'ClientTrafficPolicy',
    'BackendTrafficPolicy',
    'EnvoyExtensionPolicy',
    'SecurityPolicy',
  ],
  ['Gateway'],
  ['HTTPRoute', 'Ingress', 'TargetGroupBinding'],
];

const WAVE_OF = new Map(WAVES.flatMap((kinds, wave) => kinds.map((kind) => [kind, wave] as const)));

/** In waves; a kind that is not listed goes with the last but one, so that routes are still last. */
export function applyWaves<T extends KubernetesObject>(objects: readonly T[]): ReadonlyArray<readonly T[]> {
  const waves: T[][] = WAVES.map(() => []);
  for (const object of objects) waves[waveOf(object)]?.push(object);
  return waves.filter((wave) => wave.length > 0);
}

/** The other way round: routes first, so that nothing is sent to what goes after them. */
export function pruneWaves<T extends KubernetesObject>(objects: readonly T[]): ReadonlyArray<readonly T[]> {
  return applyWaves(objects).toReversed();
}

function waveOf({ kind }: KubernetesObject): number {
  return WAVE_OF.get(kind) ?? WAVES.length - 2;
}
