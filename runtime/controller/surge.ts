import { items, propertyAt } from '../../lib/api/validation/loose';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { type LabelSelector, selects } from '../../lib/translate/gateway-state/label-selector';

/** What is known of one scheduler's pickers. */
export interface PickerRollout {
  /** Name of the Deployment that the present spec makes. */
  readonly wanted: string;
  /** All picker Deployments of the scheduler that exist. */
  readonly deployments: readonly KubernetesObject[];
  /** Pods of the namespace. */
  readonly pods: readonly KubernetesObject[];
  /** EndpointSlices of the pickers' Service. */
  readonly slices: readonly KubernetesObject[];
}

/**
 * Picker Deployments that may go: all old ones once routers reach the new one's pods. Until then those that serve stay,
 * and only those go that serve nothing while another does: new ones that never came up and were replaced in turn.
 */
export function replacedPickers(rollout: PickerRollout): readonly KubernetesObject[] {
  const { wanted, deployments } = rollout;
  const old = deployments.filter(({ metadata }) => metadata.name !== wanted);
  if (old.length === 0) return [];
  const current = deployments.find(({ metadata }) => metadata.name === wanted);
  if (current !== undefined && isAvailable(current) && isReached(current, rollout)) return old;
  return old.some(isServing) ? old.filter((deployment) => !isServing(deployment)) : [];
}

/** The Deployment's own word, about the spec that it has now. */
function isAvailable({ metadata, status }: KubernetesObject): boolean {
  const seen = Number(propertyAt(status, 'observedGeneration') ?? 0);
  if (seen < (metadata.generation ?? 0)) return false;
  return items(propertyAt(status, 'conditions')).some(
    (condition) => propertyAt(condition, 'type') === 'Available' && propertyAt(condition, 'status') === 'True',
  );
}

/** An address of one of its pods is where routers look for pickers. */
function isReached({ spec }: KubernetesObject, { pods, slices }: PickerRollout): boolean {
  const selector = propertyAt(spec, 'selector') as LabelSelector | undefined;
  if (selector === undefined) return false;
  const own = pods.filter(({ metadata }) => selects(selector, metadata.labels ?? {}));
  const names = new Set(own.map(({ metadata }) => metadata.name));
  return slices
    .flatMap((slice) => items(slice.endpoints))
    .some(
      (endpoint) =>
        propertyAt(endpoint, 'conditions', 'ready') !== false &&
        names.has(String(propertyAt(endpoint, 'targetRef', 'name'))),
    );
}

function isServing({ status }: KubernetesObject): boolean {
  return Number(propertyAt(status, 'availableReplicas') ?? 0) > 0;
}
