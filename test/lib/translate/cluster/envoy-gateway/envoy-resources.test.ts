import { envoyResources, envoyWorkers } from '../../../../../lib/translate/cluster/envoy-gateway/envoy-resources';

test('there is always a limit of memory, which bounds the heap', () => {
  expect(envoyResources(undefined)).toEqual({ requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '4Gi' } });
  expect(envoyResources({ limits: { cpu: '2' } })).toEqual({
    requests: { cpu: '1', memory: '1Gi' },
    limits: { cpu: '2', memory: '4Gi' },
  });
  expect(envoyResources({ requests: { cpu: '250m' }, limits: { memory: '1Gi' } })).toEqual({
    requests: { cpu: '250m' },
    limits: { memory: '1Gi' },
  });
  // A limit below what is asked for is refused.
  expect(envoyResources({ requests: { memory: '6Gi' } })).toMatchObject({ limits: { memory: '6Gi' } });
});

test.each([
  [undefined, 2],
  [{ requests: { cpu: '500m' } }, 2],
  [{ requests: { cpu: '3500m' } }, 4],
  [{ requests: { cpu: 6 } }, 6],
  [{ requests: { cpu: '1' }, limits: { cpu: '4' } }, 4],
  [{ requests: { cpu: 'many' } }, 2],
])('%j has %i threads', (resources, workers) => {
  expect(envoyWorkers(resources)).toBe(workers);
});
