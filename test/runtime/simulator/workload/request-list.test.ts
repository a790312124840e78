import type { FleetRequest } from '../../../../runtime/simulator/fleet/fleet-request';
import { madeRequests } from '../../../../runtime/simulator/workload/request-list';

const make = (index: number): FleetRequest => {
  return { at: index, promptTokens: 1, outputTokens: 1, blocks: [], prefixHashes: [], connection: 0 };
};

test('requests are there in order and up to the length', () => {
  const requests = madeRequests(3, make);
  expect([...requests]).toEqual([make(0), make(1), make(2)]);
  expect([requests.length, requests.at(2), requests.at(3)]).toEqual([3, make(2), undefined]);
});

test('a request is made when it is asked for, and not before', () => {
  const made: number[] = [];
  const requests = madeRequests(1000, (index) => {
    made.push(index);
    return make(index);
  });
  requests.at(7);
  for (const { at } of requests) if (at === 1) break;
  expect(made).toEqual([7, 0, 1]);
});
