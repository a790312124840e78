import { accepted, refusals } from './support/manifests';

const pod = (status?: unknown) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'llama-0', uid: 'u', labels: { app: 'llama' }, generateName: 'llama-' },
  spec: { containers: [{ name: 'server' }] },
  status,
});

test('a pod as the API server has it is accepted, with what we do not read', () => {
  const value = pod({
    phase: 'Running',
    podIP: '10.0.0.7',
    conditions: [{ type: 'Ready', status: 'True', reason: '' }],
  });
  expect(accepted(value)).toMatchObject(value);
});

test('a pod without status or address is accepted', () => {
  expect(refusals(pod())).toEqual([]);
  expect(refusals(pod({ podIP: null }))).toEqual([]);
});

test.each(['10.0.0', '10.0.0.7:80', 'example.com', ''])('podIP %j is refused', (podIP) => {
  expect(refusals(pod({ podIP }))).toEqual([
    `status.podIP: must be an IPv4 or IPv6 address; got ${JSON.stringify(podIP)}`,
  ]);
});

test('an IPv6 address is accepted', () => {
  expect(refusals(pod({ podIP: 'fd00::1' }))).toEqual([]);
});
