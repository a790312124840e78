import { Bench, CONFIGS, DEPLOYMENTS, ROUTES } from './support/bench';
import { clusterWrites } from './support/cluster-writes';
import { gatewayConfig, schedulerOf } from './support/objects';

/* A watch may bring nothing for a minute, and nothing shows it. */

let bench: Bench;

beforeEach(async () => {
  bench = new Bench();
  bench.put(gatewayConfig());
});

afterEach(() => bench.close());

const setSchedulers = (schedulers: readonly object[]) =>
  bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { schedulers }));

describe('of a process that comes to lead', () => {
  let first: ReturnType<Bench['start']>;
  let second: ReturnType<Bench['start']>;
  let see: () => void;

  beforeEach(async () => {
    first = bench.start('first');
    await bench.settle();
    second = bench.start('second');
    await bench.settle(20_000);
    see = second.blindTo('InferenceGatewayConfig');
  });

  async function failOver(): Promise<string[]> {
    const before = clusterWrites(bench).length;
    first.kill();
    await bench.settle(20_000);
    expect(second.isLeader()).toBe(true);
    const writes = clusterWrites(bench).slice(before);
    return writes.filter((write) => write !== 'apply GatewayClass /inference-gateway');
  }

  test('nothing is taken away that a newer config wants', async () => {
    setSchedulers([schedulerOf('llama'), schedulerOf('qwen')]);
    await bench.settle(20_000);
    expect(bench.api.cluster.get(ROUTES, 'qwen', 'team')).toBeDefined();

    expect(await failOver()).toEqual([]);

    setSchedulers([schedulerOf('qwen')]);
    see();
    await bench.settle();
    expect(bench.api.cluster.list(DEPLOYMENTS, 'team')).toHaveLength(1);
    expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeUndefined();
  });

  test('a gateway that was deleted is not made again', async () => {
    bench.api.cluster.delete(CONFIGS, 'gw', 'team');
    await bench.settle(20_000);
    expect(bench.config()).toBeUndefined();

    expect(await failOver()).toEqual([]);

    see();
    await bench.settle(60_000);
    expect(bench.made().map(({ kind }) => kind)).toEqual(['GatewayClass']);
  });

  test('a gateway that was made anew is not taken for the one before', async () => {
    bench.api.cluster.delete(CONFIGS, 'gw', 'team');
    await bench.settle(20_000);
    bench.put(gatewayConfig());
    await bench.settle(20_000);
    expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();

    expect(await failOver()).toEqual([]);
  });

  test('a gateway that it does not know of is nothing that was left', async () => {
    bench.put(gatewayConfig([schedulerOf('mistral')], { name: 'newer' }));
    await bench.settle(20_000);
    expect(bench.api.cluster.get(ROUTES, 'mistral', 'team')).toBeDefined();

    const writes = await failOver();
    await bench.settle(60_000);

    expect(writes.filter((write) => write.startsWith('delete'))).toEqual([]);
    expect(bench.api.cluster.get(ROUTES, 'mistral', 'team')).toBeDefined();
  });
});

test('a leader takes nothing away by a config that was edited since', async () => {
  setSchedulers([schedulerOf('llama'), schedulerOf('qwen')]);
  const leader = bench.start();
  await bench.settle();
  setSchedulers([schedulerOf('llama')]);
  // It has seen this edit, and is at work when the next comes.
  bench.api.delay = ({ verb, resource, name }) =>
    verb === 'apply' && resource === ROUTES && name === 'llama' ? bench.clock.sleep(2_000) : Promise.resolve();
  await bench.settle(1_000);
  const see = leader.blindTo('InferenceGatewayConfig');
  setSchedulers([schedulerOf('llama'), schedulerOf('qwen')]);
  await bench.settle(20_000);

  expect(bench.api.writes.filter((write) => write.startsWith('delete'))).toEqual([]);
  see();
  await bench.settle();
  expect(bench.api.cluster.get(ROUTES, 'qwen', 'team')).toBeDefined();
});
