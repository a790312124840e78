import { setTimeout as sleep } from 'node:timers/promises';
import type { Dealer, Subscriber } from 'zeromq';
import { MalformedEvents } from './check-msgpack';
import type { EndpointBlocks } from './endpoint-blocks';
import { decodeBatch } from './event-batch';
import { type Published, readPublished, readReplayed, seqFrame } from './frames';
import type { KvEventsObserver } from './observe';
import type { TurnBudget } from './turn-budget';
import type { ZmqSockets } from './zmq-sockets';

export interface SubscriptionOptions {
  /** Where events are published, `tcp://ip:port`. */
  readonly events: string;
  /** Where missed events are sent again. */
  readonly replay: string | undefined;
  readonly blocks: EndpointBlocks;
  readonly sockets: ZmqSockets;
  readonly turns: TurnBudget;
  readonly observe: Pick<KvEventsObserver, 'kvEvents'>;
  readonly scheduler: string;
  readonly clock: () => number;
  /** From 0 up to 1: spreads reconnects. */
  readonly random: () => number;
  onFault(error: unknown): void;
}

/** Between the end of a connection and the next, at least; and between two replays. Milliseconds. */
const PAUSE_MS = 1_000;

/** Requests that one replay takes at most: a publisher drops answers that come faster than they are read. */
const MAX_REPLAY_ROUNDS = 20;

/** Messages of one replay; vLLM keeps 10,000. */
const MAX_REPLAYED = 50_000;

/**
 * Follows the events of one pod until it is closed, and writes what they tell into `blocks`. A message that is missed
 * is asked for again; where that fails, what is known is forgotten and built anew.
 *
 * Each connection begins without knowledge: a pod that closed one has most likely been started anew.
 */
export function subscribe(options: SubscriptionOptions): { close(): Promise<void> } {
  const { blocks, observe, scheduler, sockets, turns, clock } = options;
  const closing = new AbortController();
  let socket: Subscriber | undefined;
  /** The next message that has not been applied; undefined before the first. */
  let next: number | undefined;
  let lastSeq = -1;
  let replayedAt = Number.NEGATIVE_INFINITY;

  function restart(): void {
    blocks.reset(false);
    next = undefined;
    lastSeq = -1;
  }

  /** Applies one message. What it says is lost where it cannot be read, and so is what was known. */
  async function apply({ seq, payload }: Published): Promise<void> {
    next = seq + 1;
    try {
      for (const event of await turns.run(() => decodeBatch(payload))) await turns.run(() => blocks.apply(event));
      observe.kvEvents(scheduler, 'applied');
    } catch (error) {
      if (!(error instanceof MalformedEvents)) throw error;
      blocks.reset(false);
      observe.kvEvents(scheduler, 'malformed');
    }
  }

  /** One request for messages from `from` on. True when the publisher has sent the last it has. */
  async function replayRound(client: Dealer, from: number): Promise<boolean> {
    await client.send([Buffer.alloc(0), seqFrame(from)]);
    let expected = from;
    let first = true;
    let whole = true;
    for (let count = 0; count < MAX_REPLAYED; count++) {
      const message = readReplayed(await client.receive());
      if (closing.signal.aborted || message === undefined) return false;
      if (message === 'end') return whole;
      if (message.seq < expected || !whole) continue;
      if (message.seq > expected) {
        // Where the first ones are missing the publisher has them no more; others were dropped on the way.
        if (first) blocks.reset(false);
        else whole = false;
      }
      first = false;
      if (!whole) continue;
      await apply(message);
      expected = message.seq + 1;
    }
    return false;
  }

  /** Applies the messages from `from` on that the publisher still has. */
  async function replay(from: number): Promise<boolean> {
    if (options.replay === undefined) return false;
    await sleep(Math.max(0, replayedAt + PAUSE_MS - clock()), undefined, { signal: closing.signal });
    replayedAt = clock();
    const client = await sockets.replayClient(options.replay);
    const abort = () => client.close();
    closing.signal.addEventListener('abort', abort);
    let whole = false;
    for (let round = 0; round < MAX_REPLAY_ROUNDS && !whole; round++) {
      const before = next;
      // Silence ends a round as well: the mark of the end may be among what the publisher dropped.
      whole = await replayRound(client, next ?? from).catch(() => false);
      if (next === before) break;
    }
    closing.signal.removeEventListener('abort', abort);
    client.close();
    if (whole) next ??= from;
    observe.kvEvents(scheduler, whole ? 'replayed' : 'replay-failed');
    return whole;
  }

  /** Everything since the publisher's start. */
  async function replayAll(): Promise<void> {
    blocks.reset(true);
    if (!(await replay(0))) blocks.reset(false);
  }

  async function take(message: Published): Promise<void> {
    const { seq } = message;
    if (seq <= lastSeq) {
      observe.kvEvents(scheduler, 'restarted');
      restart();
    }
    lastSeq = seq;
    if (next === undefined) {
      if (seq === 0) blocks.reset(true);
      else await replayAll();
      next ??= seq;
    }
    if (seq > next) {
      observe.kvEvents(scheduler, 'gap');
      await replay(next);
      if (seq > next) {
        blocks.reset(false);
        observe.kvEvents(scheduler, 'forgotten');
      }
    }
    if (seq >= next) await apply(message);
  }

  async function follow(): Promise<void> {
    const connection = await sockets.subscriber();
    socket = connection;
    if (closing.signal.aborted) {
      connection.close();
      return;
    }
    // The library does not come back after a message that is too large; a new socket does.
    connection.events.on('disconnect', () => connection.close());
    const connected = new Promise<void>((resolve) => {
      connection.events.on('handshake', () => resolve());
      closing.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    connection.connect(options.events);
    connection.subscribe();
    await connected;
    if (!connection.closed) await replayAll();
    for await (const frames of connection) {
      const message = readPublished(frames);
      if (message !== undefined) await take(message);
      else observe.kvEvents(scheduler, 'malformed');
    }
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      restart();
      await follow();
      observe.kvEvents(scheduler, 'lost');
      restart();
      await sleep(PAUSE_MS * (1 + options.random()), undefined, { signal: closing.signal });
    }
  }

  const running = run().catch((error: unknown) => {
    if (!closing.signal.aborted) options.onFault(error);
  });
  return {
    async close() {
      closing.abort();
      socket?.close();
      await running;
    },
  };
}
