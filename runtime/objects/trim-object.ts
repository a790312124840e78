import { KV_EVENTS_PORT_ANNOTATION, KV_REPLAY_PORT_ANNOTATION, METRICS_PORT_ANNOTATION } from '../../lib/api/pod';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';

const READ_ANNOTATIONS = [KV_EVENTS_PORT_ANNOTATION, KV_REPLAY_PORT_ANNOTATION, METRICS_PORT_ANNOTATION];

/** What is read of a Pod. The rest of its status changes often and is large. */
export function trimPod(pod: KubernetesObject): KubernetesObject {
  const { phase, podIP, conditions = [] } = (pod.status ?? {}) as PodStatus;
  const { annotations = {} } = pod.metadata;
  const read = Object.entries(annotations).filter(([name]) => READ_ANNOTATIONS.includes(name));
  const ready = conditions.filter(({ type }) => type === 'Ready').map(({ type, status }) => ({ type, status }));
  return {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    metadata: { ...identity(pod), ...(read.length > 0 && { annotations: Object.fromEntries(read) }) },
    status: { ...(phase && { phase }), ...(podIP && { podIP }), conditions: ready },
  };
}

/** What is read of a ConfigMap. */
export function trimConfigMap(configMap: KubernetesObject): KubernetesObject {
  const { apiVersion, kind, data } = configMap;
  return { apiVersion, kind, metadata: identity(configMap), ...(data !== undefined && { data }) };
}

/** What is read of the other kinds: what their authors have written, and nothing that controllers write. */
export function trimWritten(object: KubernetesObject): KubernetesObject {
  const { status: _, ...written } = object;
  return { ...written, apiVersion: object.apiVersion, kind: object.kind, metadata: identity(object) };
}

/** Whether nothing of them that is read differs. */
export function isSameObject(a: KubernetesObject | undefined, b: KubernetesObject | undefined): boolean {
  return a !== undefined && b !== undefined && fingerprint(a) === fingerprint(b);
}

interface PodStatus {
  readonly phase?: string;
  readonly podIP?: string;
  readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>;
}

/** With the version, by which a store sees whether it has an object already. */
function identity({ metadata }: KubernetesObject): KubernetesObject['metadata'] {
  const { name, namespace, uid, resourceVersion, labels, creationTimestamp, deletionTimestamp } = metadata;
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(labels !== undefined && { labels }),
    ...(creationTimestamp !== undefined && { creationTimestamp }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}

function fingerprint({ metadata, ...rest }: KubernetesObject): string {
  const { resourceVersion: _, ...stable } = metadata;
  return JSON.stringify([stable, rest]);
}
