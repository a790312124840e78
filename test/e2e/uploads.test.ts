import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { envoyResourceFiles } from '../../lib/translate/envoy';
import { findEnvoy } from '../../runtime/local/envoy-binary';
import { startEnvoyProcess } from '../../runtime/local/envoy-process';
import { startRouterService } from '../../runtime/router/router-service';
import { IN_CLUSTER, startTestGateway, type TestGateway } from './support/gateway';
import { failures, startLoad } from './support/load';
import { chatBody, send } from './support/send';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    schedulers: [{ name: 'llama', modelName: 'llama' }],
    pods: ['llama-0', 'llama-1'].map((name) => ({ name, scheduler: 'llama' })),
  });
});
afterAll(() => gateway?.close());

/** A chat request of about that many bytes, unlike any other, that names its model last, as some clients do. */
function upload(megabytes: number, number: number): Buffer {
  const filler = `${number} "quoted" \\ \n`.repeat(100_000).slice(0, 900_000);
  const request = { filler: Array.from({ length: megabytes }, () => filler), ...JSON.parse(chatBody('llama')) };
  return Buffer.from(JSON.stringify(request));
}

const post = (url: string, body: Buffer | string) => send(url, '/v1/chat/completions', { body });

test('20 uploads at once arrive whole and are answered, and so are the small requests beside them', async () => {
  const bodies = Array.from({ length: 20 }, (_, number) => upload(number === 0 ? 40 : 5, number));
  const beside = startLoad({ url: gateway.url, model: 'llama', concurrency: 4 });
  const answers = await Promise.all(bodies.map((body) => post(gateway.url, body)));
  beside.stop();

  expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
  expect(failures(await beside.outcomes)).toEqual([]);
  const arrived = (await Promise.all(gateway.pods.map((pod) => pod.requests()))).flat();
  const hashes = new Set(arrived.map(({ sha256 }) => sha256));
  for (const body of bodies) expect(hashes).toContain(createHash('sha256').update(body).digest('hex'));
  await gateway.untilIdle();
});

// It puts an Envoy and a router together by itself.
if (!IN_CLUSTER) {
  test('bodies beyond the memory budget of the router are refused with 503, others pass, and the budget is given back', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'igw-budget-'));
    const socket = join(folder, 'router.sock');
    const admin = join(folder, 'admin.sock');
    const log = pino({ level: 'silent' });
    const state = gateway.local.state();
    const router = await startRouterService({
      listen: { path: socket },
      state,
      bodyBudgetBytes: 8_000_000,
      log,
    });
    try {
      const envoy = await startEnvoyProcess({
        binary: await findEnvoy(),
        workDir: folder,
        adminSocket: admin,
        concurrency: 1,
        port: 0,
        files: (port) =>
          envoyResourceFiles(state, {
            directory: folder,
            listen: { host: '127.0.0.1', port },
            admin: { pipe: admin },
            processor: { pipe: socket },
          }),
        log,
      });
      try {
        const url = `http://127.0.0.1:${envoy.port}`;
        const [large, fitting] = [upload(10, 0), upload(5, 1)];
        const beside = startLoad({ url, model: 'llama', concurrency: 2 });
        for (const refused of await Promise.all(Array.from({ length: 10 }, () => post(url, large)))) {
          expect(refused.status).toBe(503);
          expect(refused.json().error).toMatchObject({ type: 'service_unavailable', code: 'router_overloaded' });
        }
        expect((await post(url, fitting)).status).toBe(200);
        expect((await post(url, fitting)).status).toBe(200);
        beside.stop();
        expect(failures(await beside.outcomes)).toEqual([]);
      } finally {
        await envoy.close();
      }
    } finally {
      await router.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
}
