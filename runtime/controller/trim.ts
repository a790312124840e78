import { items, propertyAt } from '../../lib/api/validation/loose';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';

/** What is read of a model's pod: labels, address, readiness. A pod as a whole has ten times as much. */
export function trimPod({ apiVersion, kind, metadata, spec, status }: KubernetesObject): KubernetesObject {
  const { name, namespace, uid, resourceVersion, labels, deletionTimestamp } = metadata;
  const ready = items(propertyAt(status, 'conditions')).filter((one) => propertyAt(one, 'type') === 'Ready');
  return {
    apiVersion,
    kind,
    metadata: defined({ name, namespace, uid, resourceVersion, labels, deletionTimestamp }),
    spec: defined({ nodeName: propertyAt(spec, 'nodeName') }),
    status: defined({
      phase: propertyAt(status, 'phase'),
      podIP: propertyAt(status, 'podIP'),
      podIPs: propertyAt(status, 'podIPs'),
      conditions: ready.map((one) => ({ type: 'Ready', status: propertyAt(one, 'status') })),
    }),
  };
}

/** The gateway reads text alone. */
export function trimConfigMap({ binaryData: _, ...object }: KubernetesObject): KubernetesObject {
  return object as KubernetesObject;
}

/** Of Secrets only that they are there. What they hold is read by those who mount them. */
export function trimSecret({ data, ...object }: KubernetesObject): KubernetesObject {
  return { ...object, data: Object.fromEntries(Object.keys(data ?? {}).map((name) => [name, ''])) } as KubernetesObject;
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
