import type { Problem } from '../../../lib/translate/cluster/types';
import { createGatewayEvents } from '../../../runtime/controller/events';
import { gatewayConfig } from './support/objects';

const config = gatewayConfig() as never;
const problem = (message: string): Problem => ({ reason: 'Wrong', message, blocks: false });

function start() {
  const told: string[] = [];
  const events = createGatewayEvents({
    record: (_object, { type, reason, note }) => told.push(`${type} ${reason}: ${note}`),
  });
  return { told, events };
}

test('each problem is told once, until it has been away', () => {
  const { told, events } = start();

  events.problems(config, [problem('a'), problem('b')]);
  events.problems(config, [problem('a'), problem('b')]);
  events.problems(config, [problem('b')]);
  events.problems(config, [problem('a'), problem('b')]);

  expect(told).toEqual(['Warning Wrong: a', 'Warning Wrong: b', 'Warning Wrong: a']);
});

test('gateways do not hide each other, nor does a former one of the name', () => {
  const { told, events } = start();
  const other = gatewayConfig([], { namespace: 'other' }) as never;

  events.problems(config, [problem('a')]);
  events.problems(other, [problem('a')]);
  events.forget('team/gw');
  events.problems(config, [problem('a')]);

  expect(told).toHaveLength(3);
});

test('what is waited for, and that all is removed', () => {
  const { told, events } = start();

  events.waiting(config, 'DeletingLoadBalancer', 'waits for it');
  events.waiting(config, 'NotSynced', 'pods');
  events.stoodBack(config, 'another is there');
  events.removed(config);

  expect(told.map((line) => line.split(':')[0])).toEqual([
    'Warning DeletingLoadBalancer',
    'Warning NotSynced',
    'Warning AnotherController',
    'Normal Removed',
  ]);
});
