import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCHEDULER_PROFILES } from '../../../../lib/api/inference-gateway-config/scorer-weights';
import { readTuneInput } from '../../../../runtime/simulator/tune/tune-input';
import { gateway, scheduler } from '../../body-router/fixtures';
import { memoryRecorder, picked, REQUEST } from '../../recording/support';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tune-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function written(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const fleet = () => written('fleet.yaml', 'fleet: [{ profile: llama-8b-h100, pods: 3 }]');

/** Two requests for scheduler a and one for b, where there is one. */
async function recording(...names: string[]): Promise<string> {
  const weights = { ...scheduler('a').weights, prefix: 5 };
  const overload = { ...scheduler('a').overload, maxQueueTimeMs: 4500 };
  const schedulers = names.map((name) => scheduler(name, { weights, overload }));
  const { recorder, texts } = memoryRecorder({ state: gateway({ schedulers }) });
  for (const name of ['a', ...names]) recorder.picked(0, { ...REQUEST, scheduler: `ns/${name}` }, picked());
  return await written('recording.jsonl', texts.join(''));
}

test('a recording brings its weights, its limit on waiting and the name of its scheduler', async () => {
  const input = await readTuneInput({ trace: await recording('a'), fleet: await fleet() });
  expect(input).toMatchObject({ scheduler: 'a', maxQueueSeconds: 4.5 });
  expect(input.present).toMatchObject({ queue: 2, prefix: 5, predictedLatency: 0 });
  expect([input.pods.length, input.requests.length]).toEqual([3, 2]);
});

test('of several schedulers one must be named', async () => {
  const files = { trace: await recording('a', 'b'), fleet: await fleet() };
  await expect(readTuneInput(files)).rejects.toThrow('name one with --scheduler: ns/a, ns/b');
  await expect(readTuneInput({ ...files, scheduler: 'c' })).rejects.toThrow('has no scheduler c; expected one of');
  const { scheduler: name, requests } = await readTuneInput({ ...files, scheduler: 'b' });
  expect([name, [...requests]]).toMatchObject(['b', [{ at: 0 }]]);
});

test('a recording that names no scheduler cannot be tuned on', async () => {
  const trace = await written('cut.jsonl', (await readFile(await recording('a'), 'utf8')).split('\n')[0]!);
  await expect(readTuneInput({ trace, fleet: await fleet() })).rejects.toThrow(`--trace ${trace}: names no scheduler`);
});

test('a trace that is too large to be held is not opened', async () => {
  const trace = await written('large.csv', '');
  await truncate(trace, 256 * 1024 * 1024 + 1);
  const input = readTuneInput({ trace, fleet: await fleet() });
  await expect(input).rejects.toThrow(`--trace ${trace}: is larger than 256 MiB`);
});

test('another trace is held against the weights of a scheduler that names none', async () => {
  const line = '{"timestamp":0,"input_length":600,"output_length":9,"hash_ids":[1,2]}\n';
  const input = await readTuneInput({ trace: await written('mooncake.jsonl', line), fleet: await fleet() });
  expect(input).toMatchObject({ requests: [{ promptTokens: 600 }], present: SCHEDULER_PROFILES.balanced });
  expect([input.maxQueueSeconds, input.warnings]).toEqual([30, []]);
});

test('what is wrong is told with the file that it is in', async () => {
  const trace = await recording('a');
  const broken = await written('broken.yaml', 'fleet: [{ profile: none, pods: 1 }]');
  await expect(readTuneInput({ trace, fleet: broken })).rejects.toThrow(`--fleet ${broken}: `);
  await expect(readTuneInput({ trace: broken, fleet: await fleet() })).rejects.toThrow(`--trace ${broken}: line 1`);
  await expect(readTuneInput({ trace: join(folder, 'none'), fleet: await fleet() })).rejects.toThrow('--trace');
});

test('a recording that lacks lines is taken, with a warning', async () => {
  const whole = await recording('a');
  const text = `${await readFile(whole, 'utf8')}{"dropped":7,"at":1}\n`;
  const trace = await written('lacking.jsonl', text);
  expect((await readTuneInput({ trace: whole, fleet: await fleet() })).warnings).toEqual([]);
  expect((await readTuneInput({ trace, fleet: await fleet() })).warnings).toEqual([
    `trace ${trace}: 7 lines were dropped while it was recorded, so the load was higher than it shows`,
  ]);
});
