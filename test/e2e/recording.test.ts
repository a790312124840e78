import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { findEnvoy } from '../../runtime/local/envoy-binary';
import { startLocalGateway } from '../../runtime/local/local-gateway';
import { decodeLine } from '../../runtime/recording/recording-line';
import { parseRecording } from '../../runtime/simulator/workload/recording-trace';
import { until } from '../support/until';
import { type RunningCommand, startCommand } from './support/command';
import { ONE_SCHEDULER } from './support/one-scheduler';
import { COMMAND } from './support/pod-process';
import { chatBody, send } from './support/send';

let folder: string;
let command: RunningCommand | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'igw-e2e-'));
});
afterEach(async () => {
  await command?.killAll();
  await rm(folder, { recursive: true, force: true });
});

/** Requests for its empty pool are answered at once. */
const OBJECTS = ONE_SCHEDULER.replace('  bbr:', '  overload:\n    emptyPoolHold: 0s\n  bbr:');

const path = () => join(folder, 'recording.jsonl');

/** `local --record`; gives its URL. */
async function startRecording(...args: string[]): Promise<string> {
  await writeFile(join(folder, 'gateway.yaml'), OBJECTS);
  const flags = ['--listen', '127.0.0.1:0', '--record', path(), ...args];
  const running = startCommand(['local', '-f', join(folder, 'gateway.yaml'), ...flags]);
  command = running;
  return await until('the gateway serves', () => /Gateway +(http:\S+)\/v1/.exec(running.stdout())?.[1]);
}

const chat = (url: string) => send(url, '/v1/chat/completions', { body: chatBody('model-a') });

test('local --record writes down each decision and ends the file in order on Ctrl-C', async () => {
  const url = await startRecording();
  for (let index = 0; index < 3; index++) expect((await chat(url)).status).toBe(503);
  command!.signal('SIGINT');
  expect([await command!.exited, command!.errorLines()]).toEqual([0, []]);
  const lines = (await readFile(path(), 'utf8')).trimEnd().split('\n').map(decodeLine);
  expect(lines).toMatchObject([
    { recording: 1, gateway: 'default/test' },
    { fleet: [{ scheduler: 'default/a', pods: 0, weights: { queue: 2 } }] },
    ...[1, 2, 3].map((pick) => ({ pick, scheduler: 'default/a', outcome: 'no-endpoints' })),
    { stopped: 'closed' },
  ]);
});

test('a router that is killed leaves what it wrote, and its successor adds to it', async () => {
  await writeFile(join(folder, 'gateway.yaml'), OBJECTS);
  const gateway = await startLocalGateway({
    paths: [folder],
    listen: { host: '127.0.0.1', port: 0 },
    envoy: await findEnvoy(),
    routerScript: COMMAND,
    log: pino({ level: 'silent' }),
    record: { path: path(), limitBytes: 1_000_000 },
  });
  try {
    const recorded = async () => parseRecording((await readFile(path(), 'utf8')).split('\n')).requests.length;
    await chat(gateway.url);
    await until('the first decision is on the disk', async () => (await recorded()) === 1);
    process.kill(gateway.pids().router!, 'SIGKILL');
    await until('a decision of the next router is on the disk', async () => {
      await chat(gateway.url);
      return (await recorded()) > 1;
    });
  } finally {
    await gateway.close();
  }
  const headers = (await readFile(path(), 'utf8')).split('\n').filter((line) => line.startsWith('{"recording"'));
  expect(headers).toHaveLength(2);
});

test('a file that holds something else is refused before anything starts', async () => {
  await writeFile(path(), 'kind: Pod\n');
  command = startCommand(['local', '--record', path()]);
  expect([await command.exited, command.errorLines()]).toEqual([
    2,
    [`error: ${path()} exists and is no recording; name another file with --record`],
  ]);
  expect(await readFile(path(), 'utf8')).toBe('kind: Pod\n');
});

test('a recording larger than what can be read is not begun', async () => {
  command = startCommand(['local', '--record', path(), '--record-limit', '257']);
  expect(await command.exited).toBe(2);
  expect(command.errorLines()).toEqual([
    expect.stringContaining('Expected a whole number of MiB from 1 to 256: larger recordings cannot be read.'),
  ]);
});

test('tune refuses a recording that is too short', async () => {
  const fleet = join(folder, 'fleet.yaml');
  await writeFile(fleet, 'fleet: [{ profile: llama-8b-h100, pods: 1 }]\n');
  await writeFile(
    path(),
    `{"recording":1,"gateway":"ns/gw","created":"2026-01-01T00:00:00.000Z"}
{"fleet":[{"scheduler":"ns/a","pods":1,"weights":{"queue":1}}],"at":0}
`,
  );
  command = startCommand(['tune', '--trace', path(), '--fleet', fleet]);
  expect([await command.exited, command.errorLines()]).toEqual([
    2,
    ['error: the trace has 0 requests; tuning needs 1200: record for longer'],
  ]);
});
