import type { FleetRequest } from '../../../../runtime/simulator/fleet/fleet-request';
import { traceWorkload } from '../../../../runtime/simulator/workload/trace-workload';

const request = (at: number): FleetRequest => ({
  at,
  promptTokens: 1,
  outputTokens: 1,
  blocks: [],
  prefixHashes: [],
  connection: 0,
});
const times = (requests: Iterable<FleetRequest>): number[] => Array.from(requests, ({ at }) => at);

test('without a rate, times stay as they are', () => {
  expect(times(traceWorkload([0, 1, 10].map(request)))).toEqual([0, 1, 10]);
});

test('a rate stretches all times alike', () => {
  // Two gaps in ten seconds are 0.2 a second.
  expect(times(traceWorkload([0, 1, 10].map(request), { ratePerSecond: 0.1 }))).toEqual([0, 2, 20]);
});

test.each([[[]], [[3]], [[0, 0]]])('a trace at %j has no rate to change', (at) => {
  expect(() => traceWorkload(at.map(request), { ratePerSecond: 1 })).toThrow(/two different times/);
});
