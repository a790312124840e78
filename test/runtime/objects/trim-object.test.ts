import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { isSameObject, trimConfigMap, trimPod, trimWritten } from '../../../runtime/objects/trim-object';

const pod = (status: object, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'team', resourceVersion: '7', labels: { app: 'llama' }, ...metadata },
  spec: { containers: [{ name: 'server', env: [{ name: 'X' }] }] },
  status,
});
const READY = { type: 'Ready', status: 'True', lastTransitionTime: 'x' };

test('of a pod what makes an endpoint is kept, and the version', () => {
  const annotations = {
    'metrics.inference-gateway/port': '9',
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
  };
  const status = { phase: 'Running', podIP: '10.0.0.1', conditions: [{ type: 'Initialized', status: 'True' }, READY] };
  expect(trimPod(pod({ ...status, containerStatuses: [{}] }, { annotations, deletionTimestamp: 'then' }))).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'a',
      namespace: 'team',
      resourceVersion: '7',
      labels: { app: 'llama' },
      deletionTimestamp: 'then',
      annotations: { 'metrics.inference-gateway/port': '9' },
    },
    status: { phase: 'Running', podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] },
  });
});

test('a pod without a status is one without an address', () => {
  const { status: _, ...bare } = pod({});
  expect(trimPod(bare as KubernetesObject).status).toEqual({ conditions: [] });
});

test('what controllers write of other kinds is left out, and binary data', () => {
  const written = {
    apiVersion: 'a/v1',
    kind: 'Rewrite',
    metadata: { name: 'a', generation: 3, finalizers: ['x'] },
    spec: { a: 1 },
  };
  expect(trimWritten({ ...written, status: {} })).toEqual({ ...written, metadata: { name: 'a' } });
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  expect(trimConfigMap({ ...configMap, data: { a: 'b' }, binaryData: { c: 'd' } })).toEqual({
    ...configMap,
    data: { a: 'b' },
  });
  expect(trimConfigMap(configMap)).toEqual(configMap);
});

test('versions make no difference, everything else that is kept does', () => {
  const of = (status: object, metadata?: object) => trimPod(pod(status, metadata));
  expect(isSameObject(of({ podIP: '1', qosClass: 'x' }), of({ podIP: '1' }, { resourceVersion: '8' }))).toBe(true);
  expect(isSameObject(of({ podIP: '1' }), of({ podIP: '2' }))).toBe(false);
  expect(isSameObject(of({}), of({}, { labels: { app: 'other' } }))).toBe(false);
  expect(isSameObject(of({}), of({}, { uid: 'other' }))).toBe(false);
  expect(isSameObject(of({}), undefined)).toBe(false);
});
