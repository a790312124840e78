import { createCandidateRows } from '../../../runtime/endpoint-picker/candidate-rows';
import { createPoolHealth } from '../../../runtime/endpoint-picker/health/pool-health';
import { UNKNOWN_POOL_SPEED } from '../../../runtime/endpoint-picker/ledger/learned-speed';
import { createEndpoint } from '../../../runtime/endpoint-picker/pooled-endpoint';
import { endpointStates, engineMetrics, pickRequest, residency, schedulerState } from './support/fixtures';

test('adapters that are listed or loaded somewhere have a bit in the rows; names that clients make up take none', () => {
  const adapterBits = new Map<string, number>();
  const pool = { speed: UNKNOWN_POOL_SPEED, adapterBits, health: createPoolHealth(), exclusionChanged() {} };
  const endpoints = endpointStates(2).map((state, id) => createEndpoint(id, state, pool));
  endpoints[1]!.answer = engineMetrics({ adapters: residency(['running'], 4, ['loaded']) });
  const rows = createCandidateRows(adapterBits);
  rows.follow(schedulerState({ adapters: ['listed'] }), endpoints);
  const ask = (adapter: string) => rows.gather(pickRequest({ adapter }), new Int32Array(2), 0);
  for (let i = 0; i < 100; i++) ask(`invented-${i}`);
  for (const adapter of ['listed', 'running', 'loaded']) ask(adapter);
  expect([...adapterBits]).toEqual([
    ['listed', 1],
    ['running', 2],
    ['loaded', 4],
  ]);
});
