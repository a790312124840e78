import { setTimeout as sleep } from 'node:timers/promises';
import { blockHashes } from '../../../../runtime/body-router/prefix/block-hashes';
import type { PickRequest } from '../../../../runtime/endpoint-picker/endpoint-picker';
import { createPrecisePrefix, type PrecisePrefix } from '../../../../runtime/endpoint-picker/kv-events/precise-prefix';
import type { PromptTokens } from '../../../../runtime/endpoint-picker/kv-events/prompt-tokens';
import { tokenizeRequest } from '../../../../runtime/endpoint-picker/kv-events/tokenize-request';
import { createPrefixIndex } from '../../../../runtime/endpoint-picker/prefix/prefix-index';
import { type ModelServer, startModelServer } from '../../../../runtime/simulator/model-server/model-server';

jest.mock('zeromq', () => jest.requireActual('./support/one-zeromq').oneZeromq());

const random = () => 0.5;
const SCHEDULER = 'default/base';

/** 1,024 tokens of the model server. */
const promptOf = (name: string) => `${name} tells a tale. `.repeat(400).slice(0, 4096);

function requestOf(prompt: string): PickRequest {
  const bytes = Buffer.from(prompt);
  return {
    scheduler: SCHEDULER,
    model: 'base',
    promptBytes: bytes.length,
    prefixHashes: blockHashes({ length: bytes.length, chunks: [bytes] }, [{ start: 0, end: bytes.length }], 'base'),
    explain: false,
  };
}

async function complete(server: ModelServer, prompt: string, model = 'base'): Promise<number> {
  const answer = await fetch(`${server.url}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, prompt, max_tokens: 1 }),
  });
  const { usage } = (await answer.json()) as { usage: { prompt_tokens_details: { cached_tokens: number } } };
  return usage.prompt_tokens_details.cached_tokens;
}

interface Fleet {
  readonly servers: readonly ModelServer[];
  readonly precise: PrecisePrefix;
  tokensOf(prompt: string): Promise<PromptTokens>;
  /** Blocks by endpoint after the precise index has corrected `approximate`. */
  matched(request: PickRequest, tokens: PromptTokens, approximate?: readonly number[]): number[];
}

/** Servers of 128 blocks of 16 tokens. */
async function withFleet(count: number, body: (fleet: Fleet) => Promise<void>): Promise<void> {
  const servers = await Promise.all(
    Array.from({ length: count }, () =>
      startModelServer({
        port: 0,
        model: 'base',
        adapters: ['sql'],
        speed: 100,
        kvEventsPort: 0,
        kvReplayPort: 0,
        overrides: { kvTokens: 2048 },
      }),
    ),
  );
  const precise = createPrecisePrefix({
    clock: () => performance.now(),
    random,
    observe: { kvEvents: () => undefined, tokenized: () => undefined },
    log: { info: () => undefined, warn: () => undefined },
    deadlineMs: 10_000,
  });
  for (const [id, server] of servers.entries()) {
    precise.join({
      id,
      address: server.address,
      pod: `default/${id}`,
      scheduler: SCHEDULER,
      baseModel: 'base',
      kvEventsPort: server.kvEvents!.port,
      kvReplayPort: server.kvEvents!.replayPort,
      ready: () => true,
    });
  }
  try {
    await body({
      servers,
      precise,
      async tokensOf(prompt) {
        const request = tokenizeRequest(Buffer.from(JSON.stringify({ prompt })), 'base')!;
        return (await precise.tokens(SCHEDULER, request))!;
      },
      matched(request, tokens, approximate = new Array(count).fill(0)) {
        const matched = Int32Array.from(approximate);
        precise.match(request, tokens, matched);
        return [...matched];
      },
    });
  } finally {
    await precise.close();
    await Promise.all(servers.map((server) => server.close()));
  }
}

/** Gives up before the test's own time-out, so that what the test has opened is closed. */
async function until(holds: () => boolean): Promise<void> {
  for (let waits = 0; !holds(); waits++) {
    if (waits === 3000) throw new Error('it did not come true');
    await sleep(5);
  }
}

test('where a pod has evicted a prompt, precise sends it to the pod that has it and approximate to the wrong one', () =>
  withFleet(2, async ({ servers, tokensOf, matched }) => {
    const request = requestOf(promptOf('Ada'));
    const blocks = request.prefixHashes.length;
    const tokens = await tokensOf(promptOf('Ada'));
    const approximate = createPrefixIndex(random);
    const believed = new Int32Array(2);

    // This router sent the prompt to the first pod; others then filled that one, and sent the prompt to the second.
    await complete(servers[0]!, promptOf('Ada'));
    approximate.add(request.prefixHashes, 0);
    await until(() => matched(request, tokens)[0] === blocks);
    await complete(servers[0]!, promptOf('Bob'));
    await complete(servers[0]!, promptOf('Cleo'));
    await complete(servers[1]!, promptOf('Ada'));

    approximate.match(request.prefixHashes, believed);
    expect([...believed]).toEqual([blocks, 0]);
    await until(() => matched(request, tokens, [...believed])[1] === blocks);
    expect(matched(request, tokens, [...believed])).toEqual([0, blocks]);
    // What the pods themselves say.
    expect(await complete(servers[1]!, promptOf('Ada'))).toBe(1008);
    expect(await complete(servers[0]!, promptOf('Ada'))).toBe(0);
  }));

test('what was there before the router is known as well', async () => {
  await withFleet(1, async ({ servers, precise, tokensOf, matched }) => {
    await complete(servers[0]!, promptOf('Ada'));
    precise.leave(0);
    const request = requestOf(promptOf('Ada'));
    precise.join({
      id: 3,
      address: servers[0]!.address,
      pod: 'default/again',
      scheduler: SCHEDULER,
      baseModel: 'base',
      kvEventsPort: servers[0]!.kvEvents!.port,
      kvReplayPort: servers[0]!.kvEvents!.replayPort,
      ready: () => true,
    });
    const tokens = await tokensOf(promptOf('Ada'));
    await until(() => matched(request, tokens, [0, 0, 0, 0])[3] === request.prefixHashes.length);
  });
});

test('an adapter has a cache of its own', () =>
  withFleet(1, async ({ servers, tokensOf, matched }) => {
    const request = requestOf(promptOf('Ada'));
    const withAdapter = { ...request, model: 'sql', adapter: 'sql' };
    const tokens = await tokensOf(promptOf('Ada'));
    await complete(servers[0]!, promptOf('Ada'), 'sql');
    await until(() => matched(withAdapter, tokens)[0] === request.prefixHashes.length);
    expect(matched(request, tokens)).toEqual([0]);
  }));

test('an endpoint is believed to have nothing where its events say so, and as before where they say nothing', () =>
  withFleet(1, async ({ precise, tokensOf, matched }) => {
    const request = requestOf(promptOf('Ada'));
    const tokens = await tokensOf(promptOf('Ada'));
    await until(() => matched(request, tokens, [9, 4])[0] === 0);
    expect(matched(request, tokens, [9, 4])).toEqual([0, 4]);
    precise.leave(0);
    expect(precise.covers(SCHEDULER)).toBe(false);
    expect(matched(request, tokens, [9, 4])).toEqual([9, 4]);
  }));

test('requests under way count as held until they are over', () =>
  withFleet(1, async ({ precise, tokensOf, matched }) => {
    const request = requestOf(promptOf('Ada'));
    const tokens = await tokensOf(promptOf('Ada'));
    await until(() => matched(request, tokens, [9])[0] === 0);
    const over = precise.enter(0, request, tokens);
    expect(matched(request, tokens)).toEqual([request.prefixHashes.length]);
    over();
    expect(matched(request, tokens)).toEqual([0]);
  }));

test('a part of the prompt is measured in the blocks of the request', () =>
  withFleet(1, async ({ servers, tokensOf, matched }) => {
    const half = promptOf('Ada').slice(0, 2048);
    const request = requestOf(half + promptOf('Bob').slice(0, 2048));
    const tokens = await tokensOf(half + promptOf('Bob').slice(0, 2048));
    await complete(servers[0]!, half);
    await until(() => matched(request, tokens)[0]! > 0);
    expect(matched(request, tokens)).toEqual([request.prefixHashes.length / 2]);
  }));
