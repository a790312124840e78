import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { envoyResourceFiles } from '../../lib/translate/envoy';
import { findEnvoy } from '../../runtime/local/envoy-binary';
import { type EnvoyProcess, startEnvoyProcess } from '../../runtime/local/envoy-process';
import { type RouterService, startRouterService } from '../../runtime/router/router-service';
import { gatewayState, schedulerState } from '../runtime/endpoint-picker/support/fixtures';
import { until } from '../support/until';
import { freeAddresses } from './support/free-addresses';
import { type ScriptedPod, startScriptedPod } from './support/scripted-pod';
import { chatBody, send } from './support/send';

const lines: string[] = [];
let folder: string;
let pod: ScriptedPod;
let router: RouterService;
let envoy: EnvoyProcess;

/** A router, a real Envoy and one pod that streams, whose decisions are logged once an hour. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'igw-log-'));
  const { hosts, port } = await freeAddresses(1);
  const address = `${hosts[0]}:${port}`;
  pod = await startScriptedPod(address, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('data: {"choices":[{"delta":{"content":"hello"}}]}\n\ndata: [DONE]\n\n');
  });
  const endpoints = [{ address, pod: 'models/llama-0', ready: true }];
  const state = { ...gatewayState(schedulerState({ endpoints })), explainLogIntervalMs: 3_600_000 };
  router = await startRouterService({
    listen: { path: join(folder, 'router.sock') },
    state,
    environment: {},
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
  });
  const options = {
    directory: folder,
    admin: { pipe: join(folder, 'admin.sock') },
    processor: { pipe: join(folder, 'router.sock') },
  };
  envoy = await startEnvoyProcess({
    binary: await findEnvoy(),
    workDir: folder,
    adminSocket: join(folder, 'admin.sock'),
    concurrency: 1,
    port: 0,
    files: (listenPort) => envoyResourceFiles(state, { ...options, listen: { host: '127.0.0.1', port: listenPort } }),
    log: pino({ level: 'silent' }),
  });
});
afterAll(async () => {
  await envoy?.close();
  await router?.close();
  await pod?.close();
  await rm(folder, { recursive: true, force: true });
});

test('one decision of an interval is logged in full, with how it turned out, and is in the metrics', async () => {
  const body = chatBody('llama', { stream: true, user: 'secret' });
  const headers = { 'x-secret': 'secret' };
  for (let index = 0; index < 3; index++) {
    expect((await send(`http://127.0.0.1:${envoy.port}`, '/v1/chat/completions', { body, headers })).status).toBe(200);
  }
  const decisions = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'decision');
  await until('the decision is logged', () => decisions().length > 0);

  expect(decisions()).toEqual([
    expect.objectContaining({
      decision: {
        scheduler: 'models/llama',
        model: 'llama',
        endpoint: expect.stringMatching(/^127\./),
        status: 200,
        pickMs: expect.any(Number),
        durationMs: expect.any(Number),
        predictedTtftMs: expect.any(Number),
        observedTtftMs: expect.any(Number),
        explanation: expect.objectContaining({ winner: 'models/llama-0', moreCandidates: 0 }),
      },
    }),
  ]);
  expect(lines.join('')).not.toContain('secret');
  expect((await router.metricsPage()).text).toMatch(
    /^inference_extension_ttft_prediction_ratio_count\{inference_pool="models\/llama"\} [1-3]$/m,
  );
});
