import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';

/** Fields of `spec`, or of the object, that a test is about. */
type Fields = Readonly<Record<string, unknown>>;

const namespace = 'models';

/** Of the pods that are labelled `app: NAME`, at port 8000. */
export function pool(name = 'alpha', spec: Fields = {}): KubernetesObject {
  return {
    apiVersion: 'inference.networking.k8s.io/v1',
    kind: 'InferencePool',
    metadata: { name, namespace },
    spec: { selector: { matchLabels: { app: name } }, targetPorts: [{ number: 8000 }], ...spec },
  };
}

interface PodFields {
  readonly app?: string;
  readonly ready?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
  /** Of `status`. */
  readonly status?: Fields;
}

export function pod(name: string, podIP: string | undefined, fields: PodFields = {}): KubernetesObject {
  const { app = 'alpha', ready = true, status = {}, ...metadata } = fields;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app }, ...metadata },
    status: {
      phase: 'Running',
      ...(podIP !== undefined && { podIP }),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      ...status,
    },
  };
}

/** A picker's, at port 9002 of its pods. */
export function service(name = 'epp', spec: Fields = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { ports: [{ port: 9002 }], ...spec },
  };
}

interface SliceFields {
  readonly name?: string;
  readonly ports?: readonly Fields[];
  readonly addressType?: string;
}

/** Of the Service `epp`; what is only an address is ready. */
export function slice(endpoints: readonly (string | Fields)[], fields: SliceFields = {}): KubernetesObject {
  const { name = 'epp-1', ports = [{ name: '', port: 9002 }], addressType = 'IPv4' } = fields;
  const ready = (address: string) => ({ addresses: [address], conditions: { ready: true } });
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': 'epp' } },
    addressType,
    ports,
    endpoints: endpoints.map((one) => (typeof one === 'string' ? ready(one) : one)),
  };
}
