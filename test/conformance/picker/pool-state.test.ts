import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { type InferencePool, poolState } from './pool-state';

const pool = (...ports: number[]): InferencePool => ({
  apiVersion: 'inference.networking.k8s.io/v1',
  kind: 'InferencePool',
  metadata: { name: 'pool', namespace: 'models' },
  spec: { selector: { matchLabels: { app: 'llama' } }, targetPorts: ports.map((number) => ({ number })) },
});

const pod = (name: string, podIP: string, { app = 'llama', ready = 'True', more = {} } = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'models', labels: { app }, ...more },
  status: { podIP, phase: 'Running', conditions: [{ type: 'Ready', status: ready }] },
});

const endpoints = (...given: Parameters<typeof poolState>) =>
  poolState(...given).schedulers[0]!.endpoints.map(({ address, ready }) => `${address} ${ready}`);

test('every port of every selected pod is an endpoint', () => {
  const pods = [pod('a', '10.0.0.1'), pod('b', '10.0.0.2'), pod('c', '10.0.0.3', { app: 'other' })];

  expect(endpoints(pool(3000, 3002), pods)).toEqual([
    '10.0.0.1:3000 true',
    '10.0.0.2:3000 true',
    '10.0.0.1:3002 true',
    '10.0.0.2:3002 true',
  ]);
});

test('a pod that is not ready, or on its way out, is no endpoint to send to', () => {
  const leaving = { deletionTimestamp: '2030-01-01T00:00:00Z' };
  const pods = [pod('a', '10.0.0.1', { ready: 'False' }), pod('b', '10.0.0.2', { more: leaving })];

  expect(endpoints(pool(3000), pods)).toEqual(['10.0.0.1:3000 false', '10.0.0.2:3000 false']);
});

test('the pool is the only one, and takes whatever model', () => {
  expect(poolState(pool(3000), [])).toMatchObject({
    bodyRouting: false,
    schedulers: [{ namespace: 'models', name: 'pool', endpoints: [] }],
  });
});
