import { HealthStatus } from '../../../../runtime/envoy-api/generated/envoy/config/core/v3/health_check_pb';
import { ACTIVE_PORTS_ANNOTATION, poolEndpoints } from '../../../../runtime/inference-pools/discovery/pool-endpoints';
import { trimEndpointPod } from '../../../../runtime/inference-pools/discovery/trim-endpoint-pod';
import { pod, pool } from '../support/objects';

const { HEALTHY, UNHEALTHY, DRAINING } = HealthStatus;
const TWO_RANKS = pool('alpha', { targetPorts: [{ number: 8000 }, { number: 8001 }] });

test('each pod is there at each port of the pool', () => {
  const found = poolEndpoints(TWO_RANKS, [pod('a', '10.0.0.1'), pod('b', 'fd00::2')]);

  expect(found).toEqual([
    { address: '10.0.0.1', port: 8000, health: HEALTHY },
    { address: '10.0.0.1', port: 8001, health: HEALTHY },
    { address: 'fd00::2', port: 8000, health: HEALTHY },
    { address: 'fd00::2', port: 8001, health: HEALTHY },
  ]);
});

test('in whatever order pods come they are told in one', () => {
  const pods = [pod('a', '10.0.0.3'), pod('b', '10.0.0.1'), pod('c', '10.0.0.2')];

  expect(poolEndpoints(pool(), [...pods].reverse())).toEqual(poolEndpoints(pool(), pods));
});

test.each([
  ['is ready', pod('a', '10.0.0.1'), HEALTHY],
  ['is not ready', pod('a', '10.0.0.1', { ready: false }), UNHEALTHY],
  ['says nothing of it', pod('a', '10.0.0.1', { status: { conditions: undefined } }), UNHEALTHY],
  ['is being deleted', pod('a', '10.0.0.1', { deletionTimestamp: '2026-01-01T00:00:00Z' }), DRAINING],
])('a pod that %s is there', (_, one, health) => {
  expect(poolEndpoints(pool(), [one])).toEqual([{ address: '10.0.0.1', port: 8000, health }]);
});

test.each([
  ['has no address yet', pod('a', undefined)],
  ['has ended', pod('a', '10.0.0.1', { status: { phase: 'Succeeded' } })],
  ['has failed', pod('a', '10.0.0.1', { status: { phase: 'Failed' } })],
])('a pod that %s is not', (_, one) => {
  expect(poolEndpoints(pool(), [one])).toEqual([]);
});

test.each([
  ['8001', [8001]],
  ['8001, 8000', [8000, 8001]],
  ['8000,9999', [8000]],
  ['', []],
  ['all', []],
])('of a pod that listens at %j alone these ports are there: %j', (ports, expected) => {
  const annotations = { [ACTIVE_PORTS_ANNOTATION]: ports };

  const found = poolEndpoints(TWO_RANKS, [pod('a', '10.0.0.1', { annotations })]);

  expect(found.map(({ port }) => port)).toEqual(expected);
});

test('what is kept of pods tells the same, and their status is no longer large', () => {
  const annotations = { [ACTIVE_PORTS_ANNOTATION]: '8001', other: 'x' };
  const pods = [
    pod('a', '10.0.0.1', { annotations, status: { containerStatuses: ['large'] } }),
    pod('b', '10.0.0.2', { ready: false }),
    pod('c', '10.0.0.3', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    pod('d', undefined, { status: { phase: 'Pending' } }),
  ];

  const kept = pods.map(trimEndpointPod);

  expect(poolEndpoints(TWO_RANKS, kept)).toEqual(poolEndpoints(TWO_RANKS, pods));
  expect(JSON.stringify(kept)).not.toMatch(/large|other/);
});
