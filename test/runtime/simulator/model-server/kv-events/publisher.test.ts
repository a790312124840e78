import { Dealer, Subscriber } from 'zeromq';
import { decodeBatch } from '../../../../../runtime/endpoint-picker/kv-events/event-batch';
import { json, post, withServer } from '../with-server';

jest.mock('zeromq', () => jest.requireActual('../../../endpoint-picker/kv-events/support/one-zeromq').oneZeromq());

const PROMPT = 'a prompt of some length, to fill blocks. '.repeat(10);

const empty = Buffer.alloc(0);

test('a subscriber hears of the blocks of a prompt, with the tokens that /tokenize tells', () =>
  withServer({ kvEventsPort: 0 }, async (server) => {
    const socket = new Subscriber({ linger: 0 });
    const connected = new Promise((resolve) => socket.events.on('handshake', resolve));
    socket.connect(`tcp://127.0.0.1:${server.kvEvents!.port}`);
    socket.subscribe();
    try {
      await connected;
      await new Promise((resolve) => setTimeout(resolve, 100));
      await post(server, '/v1/completions', { prompt: PROMPT, max_tokens: 1 });
      const [, seq, payload] = await socket.receive();
      expect(seq).toEqual(Buffer.alloc(8));
      const { tokens } = await json<{ tokens: number[] }>(post(server, '/tokenize', { prompt: PROMPT }));
      const [event] = decodeBatch(payload!);
      const blocks = Math.floor(tokens.length / 16);
      expect(event).toMatchObject({ type: 'stored', tokens: Uint32Array.from(tokens.slice(0, blocks * 16)) });
    } finally {
      socket.close();
    }
  }));

test('messages are sent again from the one that is asked for, and an end', () =>
  withServer({ kvEventsPort: 0, kvReplayPort: 0 }, async (server) => {
    for (const name of ['a', 'b', 'c']) await post(server, '/v1/completions', { prompt: name + PROMPT, max_tokens: 1 });
    const socket = new Dealer({ linger: 0 });
    socket.connect(`tcp://127.0.0.1:${server.kvEvents!.replayPort}`);
    try {
      await socket.send([empty, Buffer.from([0, 0, 0, 0, 0, 0, 0, 1])]);
      const seqs: number[] = [];
      for await (const [, seq] of socket) {
        if (seq!.equals(Buffer.alloc(8, 0xff))) break;
        seqs.push(Number(seq!.readBigUInt64BE()));
      }
      expect(seqs).toEqual([1, 2]);
    } finally {
      socket.close();
    }
  }));

test('a port that is taken is refused', () =>
  withServer({ kvEventsPort: 0 }, async (server) => {
    await expect(withServer({ kvEventsPort: server.kvEvents!.port }, async () => undefined)).rejects.toThrow(/in use/i);
  }));

test('a replay without events is refused', async () => {
  await expect(withServer({ kvReplayPort: 0 }, async () => undefined)).rejects.toThrow(
    'kvReplayPort: needs kvEventsPort',
  );
});
