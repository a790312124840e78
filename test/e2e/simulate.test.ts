import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TINY } from '../runtime/simulator/run/tiny-scenario';
import { until } from '../support/until';
import { type RunningCommand, startCommand } from './support/command';

let folder: string;
let scenario: string;
let commands: RunningCommand[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'igw-simulate-'));
  scenario = join(folder, 'tiny.json');
  await writeFile(scenario, JSON.stringify(TINY));
  commands = [];
});
afterEach(async () => {
  await Promise.all(commands.map((command) => command.killAll()));
  await rm(folder, { recursive: true, force: true });
});

function simulate(...args: readonly string[]): RunningCommand {
  const command = startCommand(['simulate', ...args]);
  commands.push(command);
  return command;
}

test('a scenario file is run under the policies asked for, and shown as a table', async () => {
  const command = simulate('--scenario', scenario, '--policy', 'gateway,round-robin', '--seeds', '2');
  expect([await command.exited, command.errorLines()]).toEqual([0, []]);
  const [title, load, head, ...rows] = command.stdout().trimEnd().split('\n');
  expect(title).toBe('tiny  Two pods for tests.');
  expect(load).toBe('simulated · 5 req/s · mean of 2 seeds ± 95 % interval');
  expect(head).toMatch(/^policy +TTFT P50 +P95 +P99 /);
  expect(rows.map((row) => row.split(' ')[0])).toEqual(['gateway', 'round-robin']);
  expect(await command.family()).toEqual([]);
});

test('--json is one array, the same each time', async () => {
  const args = ['--scenario', scenario, '--policy', 'gateway', '--seeds', '2', '--rate', '3,6', '--json'];
  const [first, second] = [simulate(...args), simulate(...args)];
  expect([await first.exited, first.errorLines(), await second.exited]).toEqual([0, [], 0]);
  expect(JSON.parse(first.stdout())).toMatchObject([
    { scenario: 'tiny', policy: 'gateway', seeds: 2, rate: 3, failed: 0, simulated: true },
    { scenario: 'tiny', policy: 'gateway', seeds: 2, rate: 6, failed: 0, simulated: true },
  ]);
  expect(second.stdout()).toBe(first.stdout());
});

test('--plot writes the curves', async () => {
  const file = join(folder, 'curves.svg');
  const command = simulate('--scenario', scenario, '--seeds', '2', '--rate', 'sweep', '--plot', file);
  expect([await command.exited, command.errorLines()]).toEqual([0, []]);
  expect(await readFile(file, 'utf8')).toMatch(/^<svg [\s\S]*<title>gateway, 8 req\/s: [\s\S]*<\/svg>\n$/);
});

test.each([
  [['--scenario', 'mixed-8'], 'error: --scenario mixed-8: there is no such scenario; did you mean mixed-8b?'],
  [['--scenario', 'lora', '--plot', 'a.svg'], /^error: --plot draws curves over load, and lora has one rate only; add/],
  [['--scenario', 'lora', '--plot', 'a.png'], 'error: --plot a.png: expected a name that ends with .svg'],
  [['--scenario', 'lora', '--rate', 'sweep', '--plot', '/nowhere/a.svg'], /^error: --plot \/nowhere\/a.svg: cannot be/],
  [['--policy', 'gateway'], "error: required option '--scenario <names>' not specified"],
])('%j is refused before anything is run', async (args, message) => {
  const command = simulate(...args);
  expect(await command.exited).toBe(2);
  expect(command.errorLines()).toEqual([expect.stringMatching(message)]);
  expect(command.stdout()).toBe('');
});

test('a recording that lacks lines is replayed, with a warning', async () => {
  const trace = join(folder, 'recording.jsonl');
  const pick = (at: number) => `{"pick":${at},"at":${at},"scheduler":"ns/a","promptBytes":400,"outcome":"picked"}`;
  const header = '{"recording":1,"gateway":"ns/gw","created":"2026-01-01T00:00:00.000Z"}';
  await writeFile(trace, [header, pick(1), '{"dropped":3,"at":1}', pick(2), ''].join('\n'));
  const command = simulate('--scenario', scenario, '--policy', 'gateway', '--seeds', '1', '--trace', trace);
  expect([await command.exited, command.errorLines()]).toEqual([
    0,
    [expect.stringMatching(/^warning: trace .*: 3 lines were dropped while it was recorded/)],
  ]);
});

test('Ctrl-C ends all workers', async () => {
  const command = simulate('--scenario', 'all', '--policy', 'all', '--seeds', '100');
  await until('workers run', async () => (await command.family()).some((line) => line.includes('simulate-worker')));
  command.signal('SIGINT');
  expect([await command.exited, command.errorLines(), command.stdout()]).toEqual([130, [], '']);
  expect(await command.family()).toEqual([]);
});
