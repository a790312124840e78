import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { GatewayState } from '../../../lib/translate/gateway-state';
import { type SupervisedProcess, startSupervisedProcess } from '../../../runtime/local/supervised-process';

let folder: string;
let router: SupervisedProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'router-process-'));
});
afterEach(async () => {
  await router?.close();
  router = undefined;
  await rm(folder, { recursive: true });
});

const state = (gateway: string): GatewayState => ({
  gateway,
  bodyRouting: true,
  maxRequestBodyBytes: 1,
  explain: false,
  schedulers: [],
  rewrites: [],
});

/** A process that speaks the messages of a router; its pools are named after the states that it was given. */
const ROUTER = `
const given = [];
process.on('message', (message) => {
  if (message.type === 'status') {
    process.send({ type: 'status', pools: given.map((scheduler) => ({ scheduler, pods: [] })) });
    return;
  }
  given.push(message.state.gateway);
  process.send({ type: 'serving', metricsPort: 9 });
  process.send({ type: 'applied', sequence: message.sequence });
});
process.on('disconnect', () => process.exit());
process.send({ type: 'ready' });
`;

async function start(source: string): Promise<SupervisedProcess> {
  const script = join(folder, 'router.js');
  await writeFile(script, source);
  router = await startSupervisedProcess({
    name: 'router',
    script,
    args: ['local-router'],
    state: state('first'),
    log: pino({ level: 'silent' }),
  });
  return router;
}

const given = async (running: SupervisedProcess) => (await running.status()).map(({ scheduler }) => scheduler);

test('a process that ends before it is ready is an error, not an endless start', async () => {
  await expect(start('process.exit(3);')).rejects.toThrow('the router process ended (code 3) before it was ready');
});

test('a process that was killed is started again, and is given the newest state', async () => {
  const running = await start(ROUTER);
  await running.apply(state('second'));
  expect(await given(running)).toEqual(['first', 'second']);
  const before = running.pid();
  process.kill(before!, 'SIGKILL');

  for (let i = 0; i < 500 && (running.pid() === before || (await given(running)).length === 0); i++) await sleep(10);

  expect(await given(running)).toEqual(['second']);
});

test('a state that is handed over while the process is away is applied when it is back', async () => {
  const running = await start(ROUTER);
  process.kill(running.pid()!, 'SIGKILL');

  await running.apply(state('second'));

  expect(await given(running)).toEqual(['second']);
});

test('closing ends the process, and lets go who waits for a state', async () => {
  // It is given a second state, and says nothing.
  const running = await start(ROUTER.replace('given.push', 'if (given.length === 1) return;\n  given.push'));
  const pid = running.pid()!;
  const applied = running.apply(state('second'));

  await running.close();

  await applied;
  await running.apply(state('third'));
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
