import { encode } from '@msgpack/msgpack';
import type { WireEvent } from './block-journal';

/** Publishes KV events as vLLM does: three frames of topic, sequence number and msgpack. */
export interface KvEventsPublisher {
  readonly port: number;
  /** Absent where nothing is sent again. */
  readonly replayPort: number | undefined;
  /** Sends the events as one message; nothing where there are none. */
  publish(events: readonly WireEvent[]): void;
  close(): Promise<void>;
}

export interface PublisherOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly replayPort: number | undefined;
}

/** Messages that are kept to be sent again. */
const KEPT = 10_000;

const END_OF_REPLAY = Buffer.alloc(8, 0xff);
const EMPTY = Buffer.alloc(0);

interface Sent {
  readonly seq: Buffer;
  readonly payload: Buffer;
}

/** Rejects when a port is taken. */
export async function startKvEventsPublisher({ host, port, replayPort }: PublisherOptions): Promise<KvEventsPublisher> {
  const { Publisher, Router } = await import('zeromq');
  const publisher = new Publisher({ linger: 0 });
  const router = new Router({ linger: 0, sendHighWaterMark: 0 });
  const kept: Sent[] = [];
  let next = 0n;
  let sending: Promise<void> = Promise.resolve();

  async function answerReplays(): Promise<void> {
    for await (const [client, , from] of router) {
      if (client === undefined || from?.length !== 8) continue;
      for (const { seq, payload } of kept) {
        if (seq.compare(from) >= 0) await router.send([client, EMPTY, seq, payload]);
      }
      await router.send([client, EMPTY, END_OF_REPLAY, EMPTY]);
    }
  }

  try {
    await publisher.bind(`tcp://${host}:${port === 0 ? '*' : port}`);
    if (replayPort !== undefined) await router.bind(`tcp://${host}:${replayPort === 0 ? '*' : replayPort}`);
  } catch (error) {
    publisher.close();
    router.close();
    throw error;
  }
  const answering = replayPort === undefined ? Promise.resolve() : answerReplays().catch(() => undefined);
  return {
    port: portOf(publisher.lastEndpoint),
    replayPort: replayPort === undefined ? undefined : portOf(router.lastEndpoint),
    publish(events) {
      if (events.length === 0 || publisher.closed) return;
      const seq = Buffer.alloc(8);
      seq.writeBigUInt64BE(next++);
      const payload = Buffer.from(encode([Date.now() / 1000, events, 0]));
      kept.push({ seq, payload });
      if (kept.length > KEPT) kept.shift();
      sending = sending.then(() => publisher.send([EMPTY, seq, payload])).catch(() => undefined);
    },
    async close() {
      await sending;
      publisher.close();
      router.close();
      await answering;
    },
  };
}

function portOf(endpoint: string | null): number {
  return Number(endpoint?.slice(endpoint.lastIndexOf(':') + 1));
}
