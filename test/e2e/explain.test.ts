import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/until';
import { type RunningCommand, startCommand } from './support/command';
import { freeAddresses } from './support/free-addresses';
import { ONE_SCHEDULER } from './support/one-scheduler';
import { type OtlpReceiver, startOtlpReceiver } from './support/otlp-receiver';
import { type ScriptedPod, startScriptedPod } from './support/scripted-pod';
import { chatBody, send } from './support/send';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const CHAT = '/v1/chat/completions';

let folder: string;
let receiver: OtlpReceiver;
let pod: ScriptedPod;
let command: RunningCommand;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'igw-e2e-'));
  receiver = await startOtlpReceiver();
});
afterEach(async () => {
  await command.killAll();
  await pod.close();
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

const recording = () => join(folder, 'decisions.jsonl');

/** `local --record` with one pod, which streams, and traces as `environment` has them. Gives its URL. */
async function start(environment: Record<string, string>): Promise<string> {
  const { hosts, port } = await freeAddresses(1);
  pod = await startScriptedPod(`${hosts[0]}:${port}`, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('data: {"choices":[{"delta":{"content":"hello"}}]}\n\ndata: [DONE]\n\n');
  });
  const objects = `${ONE_SCHEDULER}      targetPort: ${port}
---
apiVersion: v1
kind: Pod
metadata: { name: a-0, labels: { app: a } }
status: { podIP: "${hosts[0]}", conditions: [{ type: Ready, status: "True" }] }
`;
  await writeFile(join(folder, 'objects.yaml'), objects);
  const args = ['local', '-f', join(folder, 'objects.yaml'), '--listen', '127.0.0.1:0', '--record', recording()];
  const running = startCommand(args, environment);
  command = running;
  return await until('the gateway serves', () => /Gateway +(http:\S+)\/v1/.exec(running.stdout())?.[1]);
}

async function end(): Promise<void> {
  command.signal('SIGINT');
  expect([await command.exited, command.errorLines()]).toEqual([0, []]);
}

/** What `explain RECORDING ...args` prints. */
async function explained(...args: string[]): Promise<string> {
  const running = startCommand(['explain', recording(), ...args]);
  expect([await running.exited, running.errorLines()]).toEqual([0, []]);
  return running.stdout();
}

const ask = (url: string, headers: Record<string, string> = {}) =>
  send(url, CHAT, { body: chatBody('model-a', { stream: true }), headers });

test('a traced request is in the trace of its caller, at the gateway and at the model server', async () => {
  const url = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'my-gateway',
  });
  expect((await ask(url, { traceparent: `00-${TRACE}-${CALLER}-01` })).status).toBe(200);
  await end();

  const spans = receiver.spans.filter(({ traceId }) => traceId === TRACE);
  const request = spans.find(({ name }) => name === 'gateway.request')!;
  const pick = spans.find(({ name }) => name === 'gateway.pick')!;
  expect(request).toMatchObject({
    parentSpanId: CALLER,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'model-a',
      'http.response.status_code': 200,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      'inference_gateway.predicted_ttft_seconds': expect.any(Number),
    },
    resource: { 'service.name': 'my-gateway' },
  });
  expect(pick).toMatchObject({
    parentSpanId: request.spanId,
    attributes: {
      'inference_gateway.pick.winner': 'default/a-0',
      'inference_gateway.pick.candidates': ['default/a-0'],
      'inference_gateway.pick.score.queue': [expect.any(Number)],
    },
  });
  expect(pod.requests[0]!.headers.traceparent).toBe(`00-${TRACE}-${request.spanId}-01`);
});

test('traces go out as protobuf where the environment does not say how', async () => {
  const url = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  await ask(url);
  await end();
  expect(receiver.types).toContain('/v1/traces application/x-protobuf');
});

test('a collector that is away costs no request, and keeps nothing from ending', async () => {
  const url = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_BSP_SCHEDULE_DELAY: '10' });
  for (let index = 0; index < 3; index++) expect((await ask(url)).status).toBe(200);
  await end();
});

test('explain tells of a recorded request why it went where it went, and how the prediction turned out', async () => {
  const url = await start({});
  const traceparent = `00-${TRACE}-${CALLER}-01`;
  for (let index = 0; index < 3; index++) expect((await ask(url, { traceparent })).status).toBe(200);
  await end();

  // Without tracing the header is the client's.
  expect(pod.requests[0]!.headers.traceparent).toBe(traceparent);
  expect(await explained()).toMatch(/^default\/a: 3 decisions, 0 refused, 1 with their candidates; predicted/);
  const first = await explained('--pick', '1');
  expect(first).toMatch(
    /^pick 1 {2}default\/a at [\d.]+ s · \d+ bytes of prompt, at most 2 tokens\npicked p1, status 200\n/,
  );
  expect(first).toMatch(/\nfirst token: predicted [\d.]+ m?s, observed [\d.]+ m?s: ratio [\d.]+\n/);
  expect(first).toMatch(/\npod +total +queue x2 .*\np1 +[\d.]+ .*\np1 was the only candidate\n/);
  expect(await explained('--pick', '2')).toContain('\nIts candidates were not recorded');
  expect(await explained('--slowest', '1')).toMatch(/^pick \d /);
  const lines = (await explained('--json', '--scheduler', 'default/a')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ pick: 1, status: 200 }, { pick: 2 }, { pick: 3 }]);
});

test.each([
  [['--pick', '9'], /^error: --pick: the recording has no decision 9$/],
  [['--pick', 'x'], /^error: option '--pick <number>' argument 'x' is invalid\. Expected a whole number from 1\.$/],
  [
    ['--pick', '1', '--slowest', '1'],
    /^error: option '--slowest <count>' cannot be used with option '--pick <number>'$/,
  ],
  [[], /^error: \S+: line 2 of the recording: is not JSON$/],
])('explain %j on a file with a broken line ends with %s', async (args, message) => {
  pod = { requests: [], close: async () => {} };
  const header = '{"recording":1,"gateway":"ns/gw","created":"2026-01-01T00:00:00.000Z"}';
  await writeFile(recording(), args.length > 0 ? `${header}\n` : `${header}\n{"pick":\n{"pick":1}\n`);
  command = startCommand(['explain', recording(), ...args]);
  expect(await command.exited).toBe(2);
  expect(command.errorLines()).toEqual([expect.stringMatching(message)]);
});
