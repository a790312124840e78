import { pino } from 'pino';
import { startPoolInformers } from '../../../../runtime/inference-pools/status/pool-informers';
import { systemClock } from '../../../../runtime/kubernetes/clock';
import { until } from '../../../support/until';
import { LoopBench } from './support/loop-bench';
import {
  FROM_ROUTES,
  gateway,
  gatewayClass,
  grant,
  judged,
  listenerSet,
  pool,
  route,
  service,
  TO_POOLS,
} from './support/objects';

let bench: LoopBench;
let changes: number;
let informers: ReturnType<typeof startPoolInformers>;

const ALL = [
  gatewayClass(),
  gateway(),
  pool(),
  route(),
  service(),
  grant([FROM_ROUTES], [TO_POOLS]),
  listenerSet('set', { name: 'gw' }),
];

beforeEach(async () => {
  bench = await LoopBench.open();
  bench.put(...ALL);
  changes = 0;
  informers = startPoolInformers({
    ...{ client: bench.client, clock: systemClock, random: Math.random },
    log: pino({ level: 'silent' }),
    signal: bench.stop.signal,
    onChange: () => {
      changes += 1;
    },
  });
  expect(informers.unknown()).toHaveLength(ALL.length);
  await until('all is known', () => informers.unknown().length === 0);
  await until('all is watched', () => bench.server.openWatches() === ALL.length);
  changes = 0;
});
afterEach(() => bench.close());

test('everything is found by its name', () => {
  const facts = informers.facts();

  expect([facts.pools, facts.routes, facts.grants].map((list) => list.length)).toEqual([1, 1, 1]);
  const found = [
    facts.gateway('gw', 'team'),
    facts.gatewayClass('envoy'),
    facts.listenerSet('set', 'team'),
    facts.service('epp', 'team'),
  ];
  expect(found.map((object) => object?.kind)).toEqual(['Gateway', 'GatewayClass', 'ListenerSet', 'Service']);
  expect([facts.gateway('gw', 'other'), facts.service('epp', 'other')]).toEqual([undefined, undefined]);
});

test('what counts is told, and nothing else', async () => {
  bench.put({ ...gateway(), status: { addresses: [] } });
  bench.put({ ...service(), metadata: { ...service().metadata, labels: { a: 'b' } } });
  bench.put({ ...route(), spec: { ...(route().spec as object), hostnames: ['another.example.com'] } });
  bench.put(pool('llama', { selector: {} }));
  await until('the new generation', () => changes > 0);
  expect(changes).toBe(1);

  bench.put(route('chat', { parents: [judged('True')] }));
  await until('the verdict', () => changes > 1);
  bench.remove(gateway());
  await until('the Gateway is gone', () => changes > 2);
  expect(informers.facts().gateway('gw', 'team')).toBeUndefined();
});

test('every watch ends with the signal', async () => {
  bench.stop.abort();
  await informers.done;

  await until('no watch is open', () => bench.server.openWatches() === 0);
});
