import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createBodyRouter } from '../../../../runtime/body-router/body-router';
import { precisePicker } from '../../../../runtime/endpoint-picker/kv-events/precise-picker';
import { createPrecisePrefix } from '../../../../runtime/endpoint-picker/kv-events/precise-prefix';
import { createPicker } from '../../../../runtime/endpoint-picker/picker';
import type { Answer } from '../../../../runtime/ext-proc/processor';
import { type ModelServer, startModelServer } from '../../../../runtime/simulator/model-server/model-server';
import { schedulerState } from '../../../lib/translate/builders';

jest.mock('zeromq', () => jest.requireActual('./support/one-zeromq').oneZeromq());

const clock = () => performance.now();
const random = () => 0.5;

/** 1,024 tokens of the model server. */
const promptOf = (name: string) => `${name} tells a tale. `.repeat(400).slice(0, 4096);

const bodyOf = (prompt: string) => Buffer.from(JSON.stringify({ model: 'base', prompt, max_tokens: 1 }));

/** Tokens of the prompt that the server had in its cache. */
async function send(server: ModelServer, prompt: string): Promise<number> {
  const answer = await fetch(`${server.url}/v1/completions`, { method: 'POST', body: bodyOf(prompt) });
  const { usage } = (await answer.json()) as { usage: { prompt_tokens_details: { cached_tokens: number } } };
  return usage.prompt_tokens_details.cached_tokens;
}

function destinationOf(answer: Answer): string | undefined {
  if (answer.kind !== 'continue') return undefined;
  return answer.setHeaders?.find(([name]) => name === 'x-gateway-destination-endpoint')?.[1].split(',')[0];
}

/** Gives up before the test's own time-out, so that what the test has opened is closed. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let waits = 0; !(await holds()); waits++) {
    if (waits === 2000) throw new Error('it did not come true');
    await sleep(5);
  }
}

const startServer = () =>
  startModelServer({
    port: 0,
    model: 'base',
    speed: 100,
    kvEventsPort: 0,
    kvReplayPort: 0,
    overrides: { kvTokens: 2048 },
  });

const PREFIX_ONLY = {
  queue: 0,
  kvCache: 0,
  prefix: 1,
  lru: 0,
  loraAffinity: 0,
  runningRequests: 0,
  predictedLatency: 0,
};

test('a prompt goes to the pod that holds it, not to the one that it was sent to and that has evicted it', async () => {
  const servers = [await startServer(), await startServer()];
  const endpoints = servers.map(({ address, kvEvents }, i) => ({
    address,
    pod: `default/${i}`,
    ready: true,
    kvEventsPort: kvEvents!.port,
    kvReplayPort: kvEvents!.replayPort!,
  }));
  const state = {
    gateway: 'default/gateway',
    bodyRouting: true,
    maxRequestBodyBytes: 1 << 20,
    explain: false,
    schedulers: [schedulerState('base', endpoints, { weights: PREFIX_ONLY })],
    rewrites: [],
  };
  const outcomes: string[] = [];
  const precise = createPrecisePrefix({
    clock,
    random,
    observe: { kvEvents() {}, tokenized: (_scheduler, outcome) => outcomes.push(outcome) },
    log: { info() {}, warn() {} },
    deadlineMs: 10_000,
  });
  const picker = createPicker({
    state,
    metrics: { watch: () => ({ wake() {}, stop() {} }), close: async () => undefined },
    clock,
    random,
    observe: { picked() {}, refused() {}, servedElsewhere() {}, retried() {}, scraped() {} },
    precise,
  });
  const router = createBodyRouter({
    picker: precisePicker(picker, precise),
    state: () => state,
    random,
    clock,
    yieldTurn: () => nextTurn(),
    observe: { requestRouted() {}, requestRefused() {}, requestDefaulted() {}, requestAnswered() {} },
    onPickerError(error) {
      throw error;
    },
    created: 0,
  });
  const route = async (prompt: string): Promise<string | undefined> => {
    const stream = router.open();
    const headers = { ':method': 'POST', ':path': '/v1/completions', 'content-type': 'application/json' };
    await stream.requestHeaders(new Map(Object.entries(headers)), false);
    const body = bodyOf(prompt);
    const answer = await stream.requestBody({ length: body.length, chunks: [body] });
    stream.closed();
    return destinationOf(answer);
  };

  try {
    const picked = await route(promptOf('Ada'));
    const first = servers.find(({ address }) => address === picked)!;
    const second = servers.find(({ address }) => address !== picked)!;
    await send(first, promptOf('Ada'));
    await until(async () => (await route(promptOf('Ada'))) === first.address);
    // Others fill the first pod, and send the prompt to the second.
    await send(first, promptOf('Bob'));
    await send(first, promptOf('Cleo'));
    await send(second, promptOf('Ada'));
    await until(async () => (await route(promptOf('Ada'))) === second.address);
    expect(await send(second, promptOf('Ada'))).toBe(1008);
    expect([...new Set(outcomes)]).toEqual(['ok', 'cached']);
  } finally {
    await picker.close();
    await precise.close();
    await Promise.all(servers.map((server) => server.close()));
  }
});
