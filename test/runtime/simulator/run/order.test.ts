import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OrderFlags, readOrder } from '../../../../runtime/simulator/run/order';
import { memoryRecorder, picked, REQUEST } from '../../recording/support';
import { TINY } from './tiny-scenario';

const FLAGS: OrderFlags = { scenario: 'mixed-8b', policy: 'gateway', seeds: '10' };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'igw-order-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function rates(flags: Partial<OrderFlags>): Promise<number[][]> {
  const { scenarios } = await readOrder({ ...FLAGS, ...flags });
  return scenarios.map((ofScenario) => ofScenario.map(({ ratePerSecond }) => ratePerSecond));
}

test('lists keep their order and lose repeats', async () => {
  const order = await readOrder({ ...FLAGS, scenario: 'lora, mixed-8b,lora', policy: 'random,gateway,random' });
  expect(order.scenarios.map(([scenario]) => scenario?.name)).toEqual(['lora', 'mixed-8b']);
  expect(order.policies).toEqual(['random', 'gateway']);
});

test('"all" names every scenario and every policy', async () => {
  const order = await readOrder({ ...FLAGS, scenario: 'all', policy: 'all' });
  expect(order.scenarios.map(([scenario]) => scenario?.name).sort()).toEqual([
    'burst-235b',
    'burst-70b',
    'cache-pressure',
    'homogeneous-8b',
    'long-context',
    'lora',
    'metrics-outage',
    'mixed-32b',
    'mixed-8b',
    'overload',
    'pod-loss',
    'scale-up',
    'shared-prefix-8b',
  ]);
  expect([...order.policies].sort()).toEqual([
    'connection-pinned',
    'gateway',
    'gateway-flow',
    'gie-default',
    'least-request',
    'oracle',
    'power-of-two',
    'prefix-sticky',
    'random',
    'round-robin',
  ]);
});

test('rates are those named in rising order, or the sweep of the scenario, or its default', async () => {
  const file = await write('tiny.json', JSON.stringify(TINY));
  expect(await rates({ rate: '30,7.5,30' })).toEqual([[7.5, 30]]);
  expect(await rates({ scenario: file, rate: 'sweep' })).toEqual([[2, 5, 8]]);
  expect(await rates({ scenario: file })).toEqual([[5]]);
});

test('a scrape interval holds for busy and idle pods', async () => {
  const { settings, notes } = await readOrder({ ...FLAGS, scrapeInterval: '1s500ms' });
  expect(settings).toEqual({ scrapeInterval: { busySeconds: 1.5, idleSeconds: 1.5 } });
  expect(notes).toEqual(['scraped every 1s500ms']);
});

test('one factor is for all, named ones for theirs', async () => {
  expect((await readOrder({ ...FLAGS, scale: '0.7' })).settings.scale).toEqual({ prefill: 0.7, decode: 0.7, kv: 0.7 });
  expect((await readOrder({ ...FLAGS, scale: 'kv=0.5,prefill=2' })).settings.scale).toEqual({
    prefill: 2,
    decode: 1,
    kv: 0.5,
  });
});

test('a trace has its own rate, and warms up for a tenth at most', async () => {
  const rows = Array.from(
    { length: 11 },
    (_, second) => `2023-11-16 18:00:${String(second * 2).padStart(2, '0')}.0000000,100,10`,
  );
  const trace = await write('azure.csv', `TIMESTAMP,ContextTokens,GeneratedTokens\n${rows.join('\n')}\n`);
  const { scenarios, settings, warnings } = await readOrder({ ...FLAGS, trace });
  expect(scenarios[0]?.[0]).toMatchObject({ ratePerSecond: 0.5, warmupSeconds: 2 });
  expect([settings.trace, warnings]).toEqual([{ path: trace, ratePerSecond: 0.5 }, []]);
  expect(await rates({ trace, rate: '2' })).toEqual([[2]]);
});

const SUCH_POLICIES = /there is no such policy; expected "all" or some of gateway, gateway-flow, gie-default, /;

test.each<[string, Partial<OrderFlags>, string | RegExp]>([
  [
    'scenario near one',
    { scenario: 'mixed-8' },
    '--scenario mixed-8: there is no such scenario; did you mean mixed-8b?',
  ],
  ['scenario unlike any', { scenario: 'xyzzyxyzzy' }, /--scenario xyzzyxyzzy: .* expected "all" or some of mixed-8b, /],
  ['no scenario', { scenario: ',' }, /--scenario: names no scenario; expected "all" or some of/],
  [
    'policy near one',
    { policy: 'roundrobin' },
    '--policy roundrobin: there is no such policy; did you mean round-robin?',
  ],
  ['policy unlike any', { policy: 'gateway,qqqqqqqq' }, SUCH_POLICIES],
  ['a property of objects as policy', { policy: 'constructor' }, SUCH_POLICIES],
  ['seeds of words', { seeds: 'ten' }, '--seeds ten: expected a whole number from 1 to 1000'],
  ['no seeds', { seeds: '0' }, '--seeds 0: expected'],
  ['rate of words', { rate: '12,fast' }, '--rate fast: expected requests per second above 0, up to 100000, or "sweep"'],
  ['rate below nought', { rate: '-1' }, '--rate -1: expected'],
  ['no rate', { rate: '' }, '--rate: names no rate'],
  ['interval without unit', { scrapeInterval: '5' }, '--scrape-interval 5: expected a duration above 0, such as 50ms'],
  ['interval of nought', { scrapeInterval: '0s' }, '--scrape-interval 0s: expected'],
  ['factor of words', { scale: 'half' }, '--scale half: expected a factor from 0.1 to 10'],
  ['factor too small', { scale: 'kv=0.01' }, '--scale kv=0.01: expected a factor from 0.1 to 10'],
  [
    'factor near a name',
    { scale: 'prefil=0.7' },
    '--scale prefil=0.7: there is no factor prefil; did you mean prefill?',
  ],
  ['factor of an object', { scale: 'toString=1' }, '--scale toString=1: there is no factor toString; expected prefill'],
  ['missing scenario file', { scenario: '/nowhere/mine.json' }, /--scenario \/nowhere\/mine.json: no such file/],
  ['missing trace', { trace: '/nowhere/trace.csv' }, /trace \/nowhere\/trace.csv: no such file/],
])('%s', async (_, flags, message) => {
  await expect(readOrder({ ...FLAGS, ...flags })).rejects.toThrow(message);
});

test('a scenario file with a fault names the field', async () => {
  const file = await write('mine.json', JSON.stringify({ ...TINY, ratePerSecond: -1 }));
  await expect(readOrder({ ...FLAGS, scenario: file })).rejects.toThrow(/mine\.json: .*[\s\S]*ratePerSecond/);
});

test('two scenarios of one name are refused', async () => {
  const file = await write('mine.json', JSON.stringify({ ...TINY, name: 'lora' }));
  const both = readOrder({ ...FLAGS, scenario: `lora,${file}` });
  await expect(both).rejects.toThrow('two scenarios have the name lora');
});

test('a trace that is too large to be held is not opened', async () => {
  const file = await write('large.csv', '');
  await truncate(file, 256 * 1024 * 1024 + 1);
  await expect(readOrder({ ...FLAGS, trace: file })).rejects.toThrow(`trace ${file}: is larger than 256 MiB`);
});

test('a file that is no trace says what would be one', async () => {
  const trace = await write('odd.txt', 'hello\n');
  await expect(readOrder({ ...FLAGS, trace })).rejects.toThrow(/odd\.txt: line 1: not a trace/);
});

test('a trace of one moment has no rate', async () => {
  const trace = await write('one.csv', 'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:00.0000000,100,10\n');
  await expect(readOrder({ ...FLAGS, trace })).rejects.toThrow(/one\.csv: expected requests at two different times/);
});

test('a recording that lacks lines is taken, with a warning', async () => {
  const { recorder, clock, texts } = memoryRecorder();
  recorder.picked(0, REQUEST, picked());
  clock.room = false;
  for (let i = 0; i < 2; i++) recorder.picked(1, REQUEST, picked());
  clock.room = true;
  recorder.picked(2, REQUEST, picked());
  const trace = await write('recording.jsonl', texts.join(''));
  expect((await readOrder({ ...FLAGS, trace })).warnings).toEqual([
    `trace ${trace}: 2 lines were dropped while it was recorded, so the load was higher than it shows`,
  ]);
});
