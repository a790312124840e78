import { inOrderOfArrival } from '../../../../runtime/simulator/workload/in-order-of-arrival';
import { fleetRequest } from '../fleet/fleet-trial';

test('lists are merged by time, the first before the second at one time, whichever ends first', () => {
  const list = (times: number[], connection: number) =>
    times.map((at) => fleetRequest(at, { connection }))[Symbol.iterator]();
  const merged = [...inOrderOfArrival([list([1, 2, 5], 0), list([], 1), list([0, 2, 3], 2)])];
  expect(merged.map(({ at, connection }) => [at, connection])).toEqual([
    [0, 2],
    [1, 0],
    [2, 0],
    [2, 2],
    [3, 2],
    [5, 0],
  ]);
});
