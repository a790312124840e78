import type { PickRequest } from '../../../runtime/endpoint-picker/endpoint-picker';
import { gatewayState, schedulerState } from '../../runtime/endpoint-picker/support/fixtures';
import { turnPicker } from './turn-picker';

const STATE = gatewayState(
  schedulerState({
    endpoints: ['10.0.0.1:3000', '10.0.0.1:3002', '10.0.0.2:3000', '10.0.0.3:3000'].map((address, index) => ({
      address,
      pod: `models/pod-${index}`,
      ready: address !== '10.0.0.3:3000',
    })),
  }),
);

function picks(count: number, subset?: readonly string[]) {
  const picker = turnPicker(() => STATE);
  return Array.from({ length: count }, () => {
    const result = picker.pick({ ...(subset && { subset }) } as PickRequest);
    if (!('outcome' in result)) throw new Error('it holds a request');
    return result.outcome === 'picked' ? result.endpoints.join() : result.outcome;
  });
}

test('ready endpoints are taken in turn', () => {
  expect(new Set(picks(3))).toEqual(new Set(['10.0.0.1:3000', '10.0.0.1:3002', '10.0.0.2:3000']));
  expect(picks(6).slice(0, 3)).toEqual(picks(6).slice(3));
});

test.each([
  ['an address', ['10.0.0.1'], ['10.0.0.1:3000', '10.0.0.1:3002']],
  ['an address and port', ['10.0.0.1:3002'], ['10.0.0.1:3002']],
  ['several', ['10.0.0.1:3000', '10.0.0.2'], ['10.0.0.1:3000', '10.0.0.2:3000']],
  ['some of another pool', ['10.9.9.9', '10.0.0.2'], ['10.0.0.2:3000']],
  ['one that is not ready', ['10.0.0.3'], ['no-endpoints']],
  ['none', [], ['no-endpoints']],
])('only those that a request may go to: %s', (_, subset, expected) => {
  expect(new Set(picks(4, subset))).toEqual(new Set(expected));
});

test('before the pool is known there is none', () => {
  expect(turnPicker(() => undefined).pick({} as PickRequest)).toMatchObject({ outcome: 'no-endpoints' });
});
