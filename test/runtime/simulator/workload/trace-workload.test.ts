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

test('at the rate that a trace has, times stay as they are', () => {
  expect(times(traceWorkload([0, 1, 10].map(request), { from: 0.2, to: 0.2 }))).toEqual([0, 1, 10]);
});

test('another rate stretches all times alike', () => {
  expect(times(traceWorkload([0, 1, 10].map(request), { from: 0.2, to: 0.1 }))).toEqual([0, 2, 20]);
});

test('the trace is passed over once a pass, with nothing kept of it', () => {
  let passes = 0;
  const requests = {
    [Symbol.iterator]() {
      passes += 1;
      return [0, 1].map(request)[Symbol.iterator]();
    },
  };
  times(traceWorkload(requests, { from: 1, to: 2 }));
  expect(passes).toBe(1);
});
