import { HealthStatus } from '../../../../runtime/envoy-api/generated/envoy/config/core/v3/health_check_pb';
import { assignment } from '../../../../runtime/inference-pools/discovery/assignment';
import { tiersOf } from '../support/told';

const at = (address: string, health = HealthStatus.HEALTHY) => ({ address, port: 8000, health });

test('endpoints are told by the name that was asked for, tier by tier', () => {
  const told = assignment('name', [[at('10.0.0.1'), at('10.0.0.2')], [at('10.0.0.3')]]);

  expect(told.clusterName).toBe('name');
  expect(tiersOf(told)).toEqual([['10.0.0.1 8000', '10.0.0.2 8000'], ['10.0.0.3 8000']]);
  expect(told.endpoints.map(({ priority }) => priority)).toEqual([0, 1]);
});

test('each tier and each endpoint has a weight, without which balancing by localities gives it nothing', () => {
  const { endpoints } = assignment('name', [[at('10.0.0.1')], [at('10.0.0.2')]]);

  const weights = endpoints.flatMap((one) => [one, ...one.lbEndpoints]).map((one) => one.loadBalancingWeight);
  expect(weights).toEqual([1, 1, 1, 1]);
});

test('health is told as it is known', () => {
  const { HEALTHY, UNHEALTHY, DRAINING } = HealthStatus;

  const [tier] = assignment('name', [[HEALTHY, UNHEALTHY, DRAINING].map((health) => at('10.0.0.1', health))]).endpoints;

  expect(tier?.lbEndpoints.map(({ healthStatus }) => healthStatus)).toEqual([HEALTHY, UNHEALTHY, DRAINING]);
});
