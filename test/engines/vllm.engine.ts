import OpenAI, { BadRequestError } from 'openai';
import { KV_EVENTS_PORT_ANNOTATION, KV_REPLAY_PORT_ANNOTATION } from '../../lib/api/pod';
import { startTestGateway, type TestGateway } from '../e2e/support/gateway';
import { podStates, untilPod, untilReleased } from '../e2e/support/ledger';
import { chatBody, send } from '../e2e/support/send';
import { parseWholePage, sumOfSamples } from '../runtime/endpoint-picker/support/reference-parser';
import { until } from '../support/until';
import { enginePage } from './support/engine-page';
import { ADAPTERS, BLOCK_TOKENS, BLOCKS, CONTEXT, MAX_RUNNING, MODEL, type VllmAddress } from './support/vllm-server';

/** Started by run.ts, which also ends them. */
const SERVERS: readonly VllmAddress[] = JSON.parse(process.env.VLLM_SERVERS ?? '[]');
const ADDRESSES = SERVERS.map(({ host, port }) => `${host}:${port}`);
const [TONE, SQL] = ADAPTERS;

/** An engine on a shared CPU takes its time. */
const SLOW_MS = 60_000;

let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  if (SERVERS.length !== 2) throw new Error('no servers: run the suite with "npm run test:engines"');
  gateway = await startGateway();
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 0 });
  await untilAll('told its metrics', (_, index) => podIs(index, ({ metrics }) => metrics === 'fresh'));
});
afterEach(async () => {
  if (gateway === undefined) return;
  await untilReleased(gateway.local);
  await untilAll('is idle', async (address) => {
    const { running, waiting } = (await enginePage(address)).picker;
    return running + waiting === 0;
  });
});
afterAll(() => gateway?.close());

/** A gateway of the two servers; `fields` of its scheduler. */
function startGateway(fields: Readonly<Record<string, unknown>> = {}): Promise<TestGateway> {
  const scheduler = { name: 'tiny', modelName: MODEL, loraAdapters: ADAPTERS, targetPort: SERVERS[0]!.port, ...fields };
  return startTestGateway({ schedulers: [scheduler], pods: [], objects: SERVERS.map(pod) });
}

function pod({ host, kvEventsPort, kvReplayPort }: VllmAddress, index: number) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `vllm-${index}`,
      namespace: 'default',
      labels: { app: 'tiny' },
      annotations: {
        [KV_EVENTS_PORT_ANNOTATION]: String(kvEventsPort),
        [KV_REPLAY_PORT_ANNOTATION]: String(kvReplayPort),
      },
    },
    status: { podIP: host, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

type PodState = Awaited<ReturnType<typeof podStates>>[number];

async function podIs(index: number, holds: (state: PodState) => boolean): Promise<boolean> {
  const state = (await podStates(gateway.local)).find(({ address }) => address === ADDRESSES[index]);
  return state !== undefined && holds(state);
}

async function untilAll(what: string, holds: (address: string, index: number) => Promise<boolean>): Promise<void> {
  for (const [index, address] of ADDRESSES.entries()) {
    await until(`${address} ${what}`, () => holds(address, index), SLOW_MS);
  }
}

/** Text that no other request of the suite begins with: `tokens` of it, one a character. */
function freshText(tokens: number): string {
  let text = '';
  while (text.length < tokens) text += Math.random().toString(36).slice(2);
  return text.slice(0, tokens);
}

/** Streams of the whole context, at one server itself or through the gateway; they last until they are cut. */
function longStreams(url: string, models: readonly string[]): { cut(): Promise<void> } {
  const controller = new AbortController();
  const fields = { stream: true, ignore_eos: true, max_tokens: CONTEXT - 100 };
  const streams = models.map((model) =>
    send(url, '/v1/chat/completions', { body: chatBody(model, fields), signal: controller.signal }).catch(
      () => undefined,
    ),
  );
  return {
    async cut() {
      controller.abort();
      await Promise.all(streams);
    },
  };
}

/** What each server's sample rose by while `action` ran. */
async function risesOf(sample: string, action: () => Promise<unknown>): Promise<readonly number[]> {
  const read = () => Promise.all(ADDRESSES.map(async (address) => (await enginePage(address)).sample(sample)));
  const before = await read();
  await action();
  const after = await read();
  return after.map((value, index) => value - before[index]!);
}

const PROMPT_TOKENS = 'vllm:prompt_tokens_total';
const CACHE_HITS = 'vllm:prefix_cache_hits_total';

/** The server that answered, by its own count of prompt tokens; fails when both did. */
async function serverOf(action: () => Promise<unknown>): Promise<number> {
  const rises = await risesOf(PROMPT_TOKENS, action);
  expect(rises.filter((rise) => rise > 0)).toHaveLength(1);
  return rises.findIndex((rise) => rise > 0);
}

describe('metrics', () => {
  test('every signal that the picker reads is on the page', async () => {
    const { picker } = await enginePage(ADDRESSES[0]!);
    expect(picker).toMatchObject({
      waiting: 0,
      running: 0,
      kvUsage: 0,
      kvCapacityTokens: BLOCKS * BLOCK_TOKENS,
      adapters: { slots: 1, distinct: 0 },
    });
    for (const [name, value] of Object.entries(picker.counters))
      expect([name, value]).toEqual([name, expect.any(Number)]);
    expect(Object.entries(picker.counters).filter(([, value]) => Number.isNaN(value))).toEqual([]);
  });

  test('each counter that speeds are learned from rises with requests, by what the clients are told', async () => {
    const before = (await enginePage(ADDRESSES[0]!)).picker.counters;
    const body = chatBody(MODEL, {
      messages: [{ role: 'user', content: freshText(300) }],
      max_tokens: 20,
      ignore_eos: true,
    });
    const ask = async () => (await send(`http://${ADDRESSES[0]}`, '/v1/chat/completions', { body })).json().usage;
    const usages = [await ask(), await ask()];
    const after = (await enginePage(ADDRESSES[0]!)).picker.counters;

    const rises = Object.fromEntries(
      Object.entries(after).map(([name, value]) => [name, value - before[name as keyof typeof before]]),
    );
    expect(rises).toMatchObject({
      promptTokens: usages[0].prompt_tokens + usages[1].prompt_tokens,
      cachedTokens: Math.floor(usages[1].prompt_tokens / BLOCK_TOKENS) * BLOCK_TOKENS,
      generatedTokens: usages[0].completion_tokens + usages[1].completion_tokens,
      steps: 40,
      firstTokenCount: 2,
      interTokenCount: 38,
      finishedCount: 2,
    });
    for (const sum of ['firstTokenSum', 'interTokenSum', 'queueSum', 'prefillSum', 'decodeSum']) {
      expect([sum, rises[sum]! > 0]).toEqual([sum, true]);
    }
  });

  test('the pickers see a full server: running, waiting, KV usage, adapters', async () => {
    const streams = longStreams(`http://${ADDRESSES[0]}`, [TONE, TONE, TONE, TONE, TONE, TONE]);
    try {
      const seen = await untilPod(
        gateway.local,
        ADDRESSES[0]!,
        'is full',
        ({ waiting = 0, running, adapters = [], kvUsage = 0 }) =>
          waiting > 0 && running === MAX_RUNNING && adapters.length > 0 && kvUsage > 0,
      );
      expect(seen).toMatchObject({ waiting: 6 - MAX_RUNNING, adapters: [TONE], inFlight: 0, metrics: 'fresh' });
      expect(seen.kvUsage).toBeLessThan(1);
    } finally {
      await streams.cut();
    }
    await untilPod(gateway.local, ADDRESSES[0]!, 'is idle', ({ waiting, running }) => waiting === 0 && running === 0);
  });
});

describe('routing', () => {
  const content = (tokens: number) => ({ role: 'user' as const, content: freshText(tokens) });

  test("a conversation's next turn goes where its beginning is, and vLLM finds it there", async () => {
    for (let conversation = 0; conversation < 5; conversation++) {
      const messages: OpenAI.ChatCompletionMessageParam[] = [content(500)];
      const turn = async () => {
        const { choices } = await client.chat.completions.create({ model: MODEL, messages, max_tokens: 4 });
        messages.push({ role: 'assistant', content: choices[0]!.message.content ?? '' }, content(40));
      };
      const first = await serverOf(turn);
      // Whole blocks of the first turn: marks of the chat, and a token for each character.
      const hits = await risesOf(CACHE_HITS, turn);
      expect([first, hits[first], hits[1 - first]]).toEqual([first, 480, 0]);
    }
  });

  test('a prompt that only KV events tell of is sent where it lies', async () => {
    const base = (tokens: number) => Array.from({ length: tokens }, () => Math.floor(Math.random() * 256));
    const complete = (url: string, prompt: readonly number[]) =>
      send(url, '/v1/completions', { body: JSON.stringify({ model: MODEL, prompt, max_tokens: 1 }) });
    for (let round = 0; round < 6; round++) {
      const holder = round % 2;
      const prompt = base(8 * BLOCK_TOKENS);
      const known = await appliedEvents();
      // Past the gateway, so that it has sent this prompt nowhere.
      await complete(`http://${ADDRESSES[holder]}`, prompt);
      await until('the blocks are known', async () => (await appliedEvents()) > known, SLOW_MS);
      const hits = await risesOf(CACHE_HITS, () => complete(gateway.url, [...prompt, ...base(5)]));
      expect([hits[holder], hits[1 - holder]]).toEqual([8 * BLOCK_TOKENS, 0]);
    }
  });

  async function appliedEvents(): Promise<number> {
    const page = (
      await send(gateway.local.metricsUrl()!, new URL(gateway.local.metricsUrl()!).pathname)
    ).body.toString();
    const applied = parseWholePage(page).filter(({ labels }) => labels.get('kind') === 'applied');
    return sumOfSamples(applied, 'inference_extension_kv_events_total') || 0;
  }

  test('requests for an adapter go where vLLM says it is loaded, and are answered under its name', async () => {
    // Nothing else counts here: how long a busy machine lets requests wait is not the question.
    const affine = await startGateway({ weights: { queue: 0, kvCache: 0, prefix: 0, loraAffinity: 1 } });
    // Past the gateway, so that only the page tells.
    const streams = longStreams(`http://${ADDRESSES[1]}`, [TONE]);
    const ask = async (model: string) => {
      const body = chatBody(model, { messages: [content(20)] });
      expect((await send(affine.url, '/v1/chat/completions', { body })).json().model).toBe(model);
    };
    try {
      const told = ({ adapters = [] }: PodState) => adapters.includes(TONE);
      await untilPod(affine.local, ADDRESSES[1]!, 'tells of the adapter', told);
      const served: Array<readonly [string, number]> = [];
      await until(
        'four requests of each are picked between two sound pods',
        async () => {
          for (const model of [TONE, SQL]) {
            const server = await serverOf(() => ask(model));
            if (await bothSound(affine)) served.push([model, server]);
          }
          return served.length >= 8;
        },
        SLOW_MS,
      );
      // The one slot at the second is in use.
      for (const [model, server] of served) expect([model, server]).toEqual([model, model === TONE ? 1 : 0]);
    } finally {
      await streams.cut();
      await affine.close();
    }
  });

  /** Not so where a busy machine has made a server so slow that it was left out for a while. */
  async function bothSound({ local }: TestGateway): Promise<boolean> {
    return (await podStates(local)).every(
      (state) => state.metrics === 'fresh' && state.excluded === undefined && state.ramping !== true,
    );
  }

  test('each adapter has its own say: it is vLLM that applies it, not the name alone', async () => {
    const messages = [content(50)];
    /** How sure the model is of its first token. */
    const sureness = async (model: string) => {
      const fields = { model, messages, max_tokens: 1, temperature: 0, logprobs: true };
      const { choices } = await client.chat.completions.create(fields);
      return choices[0]!.logprobs!.content![0]!.logprob.toFixed(3);
    };
    const said = [];
    for (const model of [MODEL, MODEL, ...ADAPTERS]) said.push(await sureness(model));
    expect([said[1] === said[0], new Set(said).size]).toEqual([true, 3]);
  });
});

describe('answers', () => {
  const messages = [{ role: 'user' as const, content: 'Why is my pod pending?' }];

  test('a stream of the official client ends with its usage', async () => {
    const stream = await client.chat.completions.create({
      model: MODEL,
      messages,
      max_tokens: 12,
      stream: true,
      stream_options: { include_usage: true },
      ...{ ignore_eos: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set([MODEL]));
    expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(['length']);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 12 } });
  });

  test('a stream that its client leaves ends in vLLM, and in the ledger', async () => {
    const whole = CONTEXT - 100;
    const rises = await risesOf('vllm:generation_tokens_total', async () => {
      const request = { model: MODEL, messages, max_tokens: whole, stream: true } as const;
      const stream = await client.chat.completions.create({ ...request, ...{ ignore_eos: true } });
      for await (const chunk of stream) if ((chunk.choices[0]?.delta.content ?? '') !== '') break;
      await untilReleased(gateway.local);
      await untilAll('runs nothing', async (address) => (await enginePage(address)).picker.running === 0);
    });
    const generated = Math.max(...rises);
    expect(generated).toBeGreaterThan(0);
    expect(generated).toBeLessThan(whole);
  });

  test('the models of the gateway are those that vLLM serves', async () => {
    const names = async (url: string) =>
      (await send(url, '/v1/models')).json().data.map(({ id, parent }: { id: string; parent: string }) => [id, parent]);
    expect((await names(gateway.url)).sort()).toEqual((await names(`http://${ADDRESSES[0]}`)).sort());
  });

  test("vLLM's refusal of a request reaches the client, and does not count against the pod", async () => {
    const refuse = (model: string) => client.chat.completions.create({ model, messages, max_tokens: -5 });
    for (let request = 0; request < 20; request++) {
      const refusal = await refuse(MODEL).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(BadRequestError);
      expect((refusal as BadRequestError).message).toMatch(/max_tokens must be at least 1, got -5/);
    }
    await untilAll('is open to requests', (_, index) =>
      podIs(
        index,
        ({ metrics, inFlight, excluded, ramping }) =>
          metrics === 'fresh' && inFlight === 0 && excluded === undefined && ramping !== true,
      ),
    );
  });
});
