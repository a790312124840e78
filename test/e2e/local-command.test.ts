import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/until';
import { type RunningCommand, startCommand } from './support/command';
import { ONE_SCHEDULER } from './support/one-scheduler';
import { send } from './support/send';

const ANY_PORT = ['--listen', '127.0.0.1:0'];

let folder: string;
let commands: RunningCommand[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'igw-e2e-'));
  commands = [];
});
afterEach(async () => {
  await Promise.all(commands.map((command) => command.killAll()));
  await rm(folder, { recursive: true, force: true });
});

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): RunningCommand {
  const command = startCommand(args, env);
  commands.push(command);
  return command;
}

/** A file in the test's folder; returns its path. */
async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** A gateway of the test's own objects that serves. */
async function startServing(): Promise<{ command: RunningCommand; url: string }> {
  const command = start(['local', '-f', await write('gateway.yaml', ONE_SCHEDULER), ...ANY_PORT]);
  const url = await until('the gateway serves', () => /Gateway +(http:\S+)\/v1/.exec(command.stdout())?.[1]);
  return { command, url };
}

test('local --once does the demo, exits 0, and leaves no process behind', async () => {
  const command = start(['local', '--once', ...ANY_PORT]);
  expect([await command.exited, command.errorLines()]).toEqual([0, []]);
  expect(command.stdout()).toMatch(/^ {2}pod +default\/llama-(h100|a10g) /m);
  expect(command.stdout()).toMatch(/^ {2}pod +default\/qwen-(h100|a10g)-0 /m);
  expect(command.stdout().match(/^ {2}answer +\w/gm)).toHaveLength(5);
  expect(command.stdout().match(/^ {2}why +\S+ [\d.]+ \(queue /gm)).toHaveLength(5);
  expect(await command.family()).toEqual([]);
}, 60_000);

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends Envoy, the router and the command', async (signal) => {
  const { command, url } = await startServing();
  expect((await send(url, '/health')).json()).toEqual({ status: 'ok' });
  const family = await command.family();
  expect(family.some((line) => line.includes('envoy'))).toBe(true);
  expect(family.some((line) => line.includes('local-router'))).toBe(true);
  command.signal(signal);
  expect([await command.exited, command.errorLines()]).toEqual([0, []]);
  expect(await command.family()).toEqual([]);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s beside a live table ends all parts in order',
  async (signal) => {
    const temporary = await mkdtemp(join(folder, 'tmp-'));
    const terminal = await write('terminal.cjs', 'process.stdout.isTTY = process.stderr.isTTY = true;');
    const command = start(['local', '-f', await write('gateway.yaml', ONE_SCHEDULER), ...ANY_PORT], {
      NODE_OPTIONS: `--require ${terminal}`,
      TMPDIR: temporary,
    });
    await until('the table is shown', () => command.stdout().includes('Ctrl-C'));
    command.signal(signal);
    expect(await command.exited).toBe(0);
    expect([await command.family(), await readdir(temporary)]).toEqual([[], []]);
  },
  60_000,
);

test('Ctrl-C in the middle of --once is no success', async () => {
  const command = start(['local', '--once', ...ANY_PORT]);
  await until('the demo is under way', () => command.stdout().includes('Gateway'));
  command.signal('SIGINT');
  expect([await command.exited, command.errorLines()]).toEqual([130, []]);
  expect(await command.family()).toEqual([]);
}, 60_000);

test('a command that is used wrongly exits 2, and help exits 0', async () => {
  expect(await start(['local', '--listen', 'nowhere']).exited).toBe(2);
  expect(await start(['validate']).exited).toBe(2);
  expect(await start(['local', '--help']).exited).toBe(0);
});

test('Envoy and the router end when the command is killed', async () => {
  const { command } = await startServing();
  command.signal('SIGKILL');
  await command.untilAllGone();
});

test('Ctrl-C while the parts start leaves none of them', async () => {
  const command = start(['local', '-f', await write('gateway.yaml', ONE_SCHEDULER), ...ANY_PORT]);
  await until('the router process is there', async () =>
    (await command.family()).some((line) => line.includes('local-router')),
  );
  command.signal('SIGINT');
  expect([await command.exited, command.errorLines()]).toEqual([0, []]);
  await command.untilAllGone();
});

describe('one clear line, and nothing left running:', () => {
  const refused = async (command: RunningCommand) => {
    const code = await command.exited;
    expect(await command.family()).toEqual([]);
    return [code, ...command.errorLines()];
  };

  test('a port in use', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const path = await write('gateway.yaml', ONE_SCHEDULER);
    const seen = await refused(start(['local', '-f', path, '--listen', `127.0.0.1:${port}`]));
    taken.close();
    expect(seen).toEqual([2, `error: 127.0.0.1:${port} is in use; free it or choose another with --listen`]);
  });

  test('no Envoy', async () => {
    const path = await write('gateway.yaml', ONE_SCHEDULER);
    expect(await refused(start(['local', '-f', path, ...ANY_PORT], { ENVOY_BIN: '/nonexistent' }))).toEqual([
      2,
      'error: ENVOY_BIN names /nonexistent, which is not an executable file. Correct it, or unset it.',
    ]);
  });

  test('an Envoy that is none', async () => {
    const path = await write('gateway.yaml', ONE_SCHEDULER);
    const seen = await refused(start(['local', '-f', path, ...ANY_PORT], { ENVOY_BIN: '/bin/false' }));
    expect(seen).toEqual([expect.any(Number), expect.stringMatching(/^error: Envoy ended with code 1\b/)]);
  });

  test('bad YAML', async () => {
    const path = await write('gateway.yaml', ONE_SCHEDULER.replace('enabled: true', 'enabled: [true'));
    const seen = await refused(start(['local', '-f', path, ...ANY_PORT]));
    expect(seen).toEqual([1, expect.stringMatching(new RegExp(`^error: ${path}:\\d+: `))]);
  });

  test('an object with a fault', async () => {
    const path = await write('gateway.yaml', ONE_SCHEDULER.replace('enabled: true', 'enabled: yes please'));
    const seen = await refused(start(['local', '-f', path, ...ANY_PORT]));
    expect(seen).toEqual([1, expect.stringMatching(new RegExp(`^error: ${path}:7 spec\\.bbr\\.enabled: `))]);
  });

  test('no file', async () => {
    const seen = await refused(start(['local', '-f', join(folder, 'none.yaml'), ...ANY_PORT]));
    expect(seen).toEqual([expect.any(Number), expect.stringContaining('none.yaml')]);
    expect([1, 2]).toContain(seen[0]);
  });

  test('no objects', async () => {
    const seen = await refused(start(['local', '-f', folder, ...ANY_PORT]));
    expect(seen).toEqual([1, expect.stringContaining('InferenceGatewayConfig')]);
  });

  test('an address that is none', async () => {
    const seen = await refused(start(['local', '--listen', 'localhost']));
    expect(seen.length).toBe(2);
    expect([1, 2]).toContain(seen[0]);
  });
});

test('validate prints every fault as file:line path: message and exits 1', async () => {
  const text = ONE_SCHEDULER.replace('enabled: true', 'enabled: true\n    replica: 2').replace(
    'name: a\n',
    'name: A\n',
  );
  const path = await write('gateway.yaml', text);
  const command = start(['validate', '-f', path]);
  expect(await command.exited).toBe(1);
  expect(command.stdout().trim().split('\n')).toEqual([
    expect.stringMatching(new RegExp(`^${path}:8 spec\\.bbr\\.replica: .+`)),
    expect.stringMatching(new RegExp(`^${path}:10 spec\\.schedulers\\[0\\]\\.name: .+`)),
  ]);
});

test('validate of valid objects exits 0', async () => {
  const command = start(['validate', '-f', await write('gateway.yaml', ONE_SCHEDULER)]);
  expect([await command.exited, command.stdout()]).toEqual([
    0,
    'warning: scheduler a: its modelSelector selects no pod\nvalid: 1 object\n',
  ]);
});
