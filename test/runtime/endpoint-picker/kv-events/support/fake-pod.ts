import { encode } from '@msgpack/msgpack';
import { Publisher, Router } from 'zeromq';

/** A pod that publishes what a test tells it to, and answers replays from what the test puts there. */
export interface FakePod {
  readonly eventsPort: number;
  readonly replayPort: number;
  /** Messages that a replay sends, in order. */
  kept: Array<readonly [seq: number, payload: Uint8Array]>;
  /** First sequence numbers that were asked for. */
  readonly asked: number[];
  /** Publishes, and keeps, a message of events. */
  publish(seq: number, events: readonly unknown[]): Promise<void>;
  /** Publishes frames as they are. */
  send(frames: readonly (Buffer | Uint8Array | string)[]): Promise<void>;
  close(): Promise<void>;
}

export const EMPTY = Buffer.alloc(0);

export function seqOf(seq: number): Buffer {
  const frame = Buffer.alloc(8);
  frame.writeBigUInt64BE(BigInt(seq));
  return frame;
}

/** `eventsPort`: 0 takes a free one. */
export async function startFakePod(eventsPort = 0): Promise<FakePod> {
  const publisher = new Publisher({ linger: 0 });
  const router = new Router({ linger: 0 });
  await publisher.bind(`tcp://127.0.0.1:${eventsPort === 0 ? '*' : eventsPort}`);
  await router.bind('tcp://127.0.0.1:*');
  const asked: number[] = [];

  async function answer(): Promise<void> {
    for await (const [client, empty, from] of router) {
      const first = Number(from!.readBigUInt64BE());
      asked.push(first);
      for (const [seq, payload] of pod.kept) {
        if (seq >= first) await router.send([client!, empty!, seqOf(seq), payload]);
      }
      await router.send([client!, empty!, Buffer.alloc(8, 0xff), EMPTY]);
    }
  }

  const pod: FakePod = {
    eventsPort: portOf(publisher.lastEndpoint),
    replayPort: portOf(router.lastEndpoint),
    kept: [],
    asked,
    async publish(seq, events) {
      const payload = encode([1.5, events]);
      pod.kept.push([seq, payload]);
      await publisher.send([EMPTY, seqOf(seq), payload]);
    },
    async send(frames) {
      await publisher.send([...frames]);
    },
    async close() {
      publisher.close();
      router.close();
      await answering;
    },
  };
  const answering = answer().catch(() => undefined);
  return pod;
}

function portOf(endpoint: string | null): number {
  return Number(endpoint!.slice(endpoint!.lastIndexOf(':') + 1));
}
