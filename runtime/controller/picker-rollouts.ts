import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { schedulerNames } from '../../lib/translate/cluster/names';
import { isModelSlice } from './model-slice';
import { replacedPickers } from './surge';
import { schedulerOf } from './write-failure';

interface Rollouts {
  /** By scheduler: name of the picker Deployment that its present spec makes. */
  readonly wanted: ReadonlyMap<string, string>;
  /** Everything of the gateway that exists. */
  readonly owned: readonly KubernetesObject[];
  /** Pods of its namespace. */
  readonly pods: readonly KubernetesObject[];
}

/** Old picker Deployments that must go on serving: the new ones do not serve yet. */
export function servingPickers({ wanted, owned, pods }: Rollouts): ReadonlySet<KubernetesObject> {
  const serving = new Set<KubernetesObject>();
  for (const [scheduler, name] of wanted) {
    const own = owned.filter((object) => schedulerOf(object) === scheduler);
    const deployments = own.filter(({ kind }) => kind === 'Deployment');
    const service = schedulerNames({ name: scheduler }).picker;
    const slices = own.filter(
      (object) =>
        object.kind === 'EndpointSlice' &&
        !isModelSlice(object) &&
        object.metadata.labels?.['kubernetes.io/service-name'] === service,
    );
    const replaced = new Set(replacedPickers({ wanted: name, deployments, pods, slices }));
    for (const deployment of deployments) if (!replaced.has(deployment)) serving.add(deployment);
  }
  return serving;
}
