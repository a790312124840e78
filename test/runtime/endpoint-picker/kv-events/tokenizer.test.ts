import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTokenizer, type Tokenizer } from '../../../../runtime/endpoint-picker/kv-events/tokenizer';

const ASK = { kind: 'ask', body: '{"prompt":"hello"}' } as const;

async function withPods(
  answers: readonly RequestListener[],
  body: (tokenizer: Tokenizer, pods: readonly string[], outcomes: string[]) => Promise<void>,
  deadlineMs = 5_000,
): Promise<void> {
  const servers = await Promise.all(
    answers.map(
      (answer) =>
        new Promise<Server>((resolve) => {
          const server = createServer(answer).listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const outcomes: string[] = [];
  const observe = { tokenized: (_scheduler: string, outcome: string) => outcomes.push(outcome) };
  const tokenizer = createTokenizer({ clock: () => performance.now(), observe, deadlineMs });
  try {
    await body(
      tokenizer,
      servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`),
      outcomes,
    );
  } finally {
    await tokenizer.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  }
}

const tokensAnswer: RequestListener = (_request, response) => response.end('{"count":2,"tokens":[5,6]}');

test('the second pick of a prompt has its tokens at once', () =>
  withPods([tokensAnswer], async (tokenizer, pods, outcomes) => {
    expect(await tokenizer.tokens('s', ASK, pods)).toEqual({ tokens: Uint32Array.of(5, 6), count: 2 });
    expect(tokenizer.tokens('s', ASK, pods)).toEqual({ tokens: Uint32Array.of(5, 6), count: 2 });
    expect(outcomes).toEqual(['ok', 'cached']);
  }));

test('schedulers do not share tokens', () => {
  let asked = 0;
  const count: RequestListener = (request, response) => {
    asked += 1;
    tokensAnswer(request, response as never);
  };
  return withPods([count], async (tokenizer, pods) => {
    await tokenizer.tokens('a', ASK, pods);
    await tokenizer.tokens('b', ASK, pods);
    expect(asked).toBe(2);
  });
});

test('pods are asked in turn, and a prompt once at a time', () => {
  const asked: number[] = [];
  const pod =
    (id: number): RequestListener =>
    (request, response) => {
      asked.push(id);
      tokensAnswer(request, response as never);
    };
  return withPods([pod(0), pod(1)], async (tokenizer, pods) => {
    await Promise.all([tokenizer.tokens('s', ASK, pods), tokenizer.tokens('s', ASK, pods)]);
    await tokenizer.tokens('s', { kind: 'ask', body: '{"prompt":"other"}' }, pods);
    expect(asked.sort()).toEqual([0, 1]);
  });
});

test('past the deadline the pick goes on without tokens, which are there for the next', () => {
  const release: Array<() => void> = [];
  const slow: RequestListener = (request, response) => {
    release.push(() => tokensAnswer(request, response as never));
  };
  return withPods(
    [slow],
    async (tokenizer, pods, outcomes) => {
      expect(await tokenizer.tokens('s', ASK, pods)).toBeUndefined();
      while (release.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      release[0]!();
      let tokens: unknown;
      while (tokens === undefined) tokens = await tokenizer.tokens('s', ASK, pods);
      expect(tokens).toEqual({ tokens: Uint32Array.of(5, 6), count: 2 });
      expect(outcomes[0]).toBe('late');
    },
    20,
  );
});

test.each<[string, RequestListener]>([
  ['a status', (_request, response) => response.writeHead(404).end()],
  ['no JSON', (_request, response) => response.end('hello')],
  ['no tokens', (_request, response) => response.end('{"tokens":["a"]}')],
  ['null', (_request, response) => response.end('null')],
  ['too much', (_request, response) => response.end(' '.repeat(2 * 1024 * 1024))],
  ['a closed connection', (request) => request.socket.destroy()],
])('an answer of %s gives no tokens', (_what, answer) =>
  withPods([answer], async (tokenizer, pods, outcomes) => {
    expect(await tokenizer.tokens('s', ASK, pods)).toBeUndefined();
    expect(outcomes).toEqual(['failed']);
  }),
);

test('after five misses in a row picks wait no more for a while', () =>
  withPods([(_request, response) => response.writeHead(500).end()], async (tokenizer, pods, outcomes) => {
    for (let i = 0; i < 6; i++) await tokenizer.tokens('s', { kind: 'ask', body: `${i}` }, pods);
    expect(outcomes.slice(-2)).toEqual(['failed', 'paused']);
  }));

test('token ids need no pod', () =>
  withPods([], async (tokenizer) => {
    expect(tokenizer.tokens('s', { kind: 'tokens', tokens: [1] }, [])).toEqual({ tokens: Uint32Array.of(1), count: 1 });
    expect(tokenizer.tokens('s', ASK, [])).toBeUndefined();
  }));
