import { trimConfigMap, trimPod, trimSecret } from '../../../runtime/controller/trim';

test('of a pod its labels, address and readiness are kept', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'a',
      namespace: 't',
      uid: 'u',
      resourceVersion: '1',
      labels: { x: 'y' },
      annotations: { big: 'one' },
    },
    spec: { nodeName: 'n', containers: [{ name: 'c', env: [] }] },
    status: {
      phase: 'Running',
      podIP: '10.0.0.1',
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: 'now' },
        { type: 'PodScheduled', status: 'True' },
      ],
      containerStatuses: [{}],
    },
  };

  expect(trimPod(pod)).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 't', uid: 'u', resourceVersion: '1', labels: { x: 'y' } },
    spec: { nodeName: 'n' },
    status: { phase: 'Running', podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] },
  });
});

test('a pod that has nothing yet stays valid', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 't' } };

  expect(trimPod(pod)).toEqual({ ...pod, spec: {}, status: { conditions: [] } });
});

test('of a Secret nothing that is secret is kept', () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { 'tls.key': 'c2VjcmV0' } };

  expect(trimSecret(secret)).toEqual({ ...secret, data: { 'tls.key': '' } });
  expect(trimSecret({ ...secret, data: undefined } as never)).toEqual({ ...secret, data: {} });
});

test('of a ConfigMap its text is kept', () => {
  const map = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { a: 'b' },
    binaryData: { c: 'ZA==' },
  };

  expect(trimConfigMap(map)).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { a: 'b' },
  });
});
