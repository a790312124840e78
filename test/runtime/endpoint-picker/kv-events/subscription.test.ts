import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createEndpointBlocks } from '../../../../runtime/endpoint-picker/kv-events/endpoint-blocks';
import type { KvEventsKind } from '../../../../runtime/endpoint-picker/kv-events/observe';
import { subscribe } from '../../../../runtime/endpoint-picker/kv-events/subscription';
import { createTurnBudget } from '../../../../runtime/endpoint-picker/kv-events/turn-budget';
import { createZmqSockets } from '../../../../runtime/endpoint-picker/kv-events/zmq-sockets';
import { createPreciseIndex } from '../../../../runtime/endpoint-picker/prefix/precise-index';
import { EMPTY, type FakePod, seqOf, startFakePod } from './support/fake-pod';

jest.mock('zeromq', () => jest.requireActual('./support/one-zeromq').oneZeromq());

const clock = () => performance.now();

/** A block of two tokens without a parent. */
const block = (hash: number) => ['BlockStored', [hash], null, [hash, hash], 2, null];

interface Follower {
  /** Events so far, of each kind. */
  readonly counts: Map<KvEventsKind, number>;
  size(): number;
  complete(): boolean;
  close(): Promise<void>;
}

function follow(pod: FakePod, { replay = true } = {}): Follower {
  const index = createPreciseIndex(() => 0.5, { maxPairs: 10_000 });
  const blocks = createEndpointBlocks(0, 'base', index);
  const counts = new Map<KvEventsKind, number>();
  const { close } = subscribe({
    events: `tcp://127.0.0.1:${pod.eventsPort}`,
    replay: replay ? `tcp://127.0.0.1:${pod.replayPort}` : undefined,
    blocks,
    sockets: createZmqSockets(),
    turns: createTurnBudget(clock, () => nextTurn()),
    observe: { kvEvents: (_scheduler, kind) => counts.set(kind, (counts.get(kind) ?? 0) + 1) },
    scheduler: 'default/s',
    clock,
    random: () => 0,
    onFault(error) {
      throw error;
    },
  });
  return { counts, size: () => index.sizeOf(0), complete: () => blocks.complete, close };
}

/** Gives up before the test's own time-out, so that what the test has opened is closed. */
async function until(holds: () => boolean): Promise<void> {
  for (let waits = 0; !holds(); waits++) {
    if (waits === 3000) throw new Error('it did not come true');
    await sleep(5);
  }
}

/** Publishes cleared caches until one arrives: a subscription takes a moment to reach the publisher. */
async function untilConnected(pod: FakePod, follower: Follower): Promise<number> {
  let seq = 0;
  while (!follower.counts.has('applied')) {
    await pod.publish(seq++, [['AllBlocksCleared']]);
    await sleep(20);
  }
  return seq;
}

async function withPod(
  options: { replay?: boolean },
  body: (pod: FakePod, follower: Follower) => Promise<void>,
): Promise<void> {
  const pod = await startFakePod();
  const follower = follow(pod, options);
  try {
    await body(pod, follower);
  } finally {
    await follower.close();
    await pod.close();
  }
}

test('what was published before the connection is asked for, and what comes after is followed', async () => {
  const pod = await startFakePod();
  await pod.publish(0, [block(1)]);
  await pod.publish(1, [block(2), ['BlockRemoved', [1]]]);
  const follower = follow(pod);
  try {
    await until(() => follower.complete() && follower.size() === 1);
    expect(pod.asked[0]).toBe(0);
    await sleep(50);
    await pod.publish(2, [block(3)]);
    await until(() => follower.size() === 2);
    expect(follower.complete()).toBe(true);
  } finally {
    await follower.close();
    await pod.close();
  }
});

test('a gap is filled by a replay from the first missing message', () =>
  withPod({}, async (pod, follower) => {
    const next = await untilConnected(pod, follower);
    await until(() => follower.counts.get('applied') === next);
    // Kept, but never sent.
    const missed = pod.kept.length;
    await pod.publish(next, [block(1)]);
    await until(() => follower.size() === 1);
    pod.kept.push([next + 1, pod.kept[missed]![1]]);
    await pod.publish(next + 2, [block(3)]);
    await until(() => follower.size() === 2);
    expect(pod.asked.at(-1)).toBe(next + 1);
    expect(follower.counts.get('gap')).toBe(1);
    expect(follower.counts.has('forgotten')).toBe(false);
    expect(follower.complete()).toBe(true);
  }));

test('where the publisher has the missing messages no more, what was known is forgotten', () =>
  withPod({}, async (pod, follower) => {
    const next = await untilConnected(pod, follower);
    await pod.publish(next, [block(1)]);
    await until(() => follower.size() === 1);
    pod.kept = [];
    await pod.publish(next + 2, [block(2), block(3)]);
    await until(() => follower.size() === 2);
    expect(follower.complete()).toBe(false);
  }));

test('without a replay a gap forgets what was known, until the engine clears its cache', () =>
  withPod({ replay: false }, async (pod, follower) => {
    const next = await untilConnected(pod, follower);
    await pod.publish(next, [block(1)]);
    await until(() => follower.size() === 1);
    await pod.publish(next + 5, [block(2), block(3)]);
    await until(() => follower.size() === 2);
    expect(follower.counts.get('forgotten')).toBe(1);
    expect(follower.complete()).toBe(false);
    await pod.publish(next + 6, [['AllBlocksCleared'], block(4)]);
    await until(() => follower.size() === 1);
    expect(follower.complete()).toBe(true);
  }));

test('a pod that starts anew begins with an empty cache', async () => {
  const pod = await startFakePod();
  const follower = follow(pod, { replay: false });
  let second: FakePod | undefined;
  try {
    const next = await untilConnected(pod, follower);
    await pod.publish(next, [block(1)]);
    await until(() => follower.size() === 1);
    await pod.close();
    await until(() => follower.size() === 0);
    expect(follower.complete()).toBe(false);
    second = await startFakePod(pod.eventsPort);
    for (let seq = 0; follower.size() === 0; seq++) {
      await second.publish(seq, [['AllBlocksCleared'], block(2)]);
      await sleep(50);
    }
    expect(follower.complete()).toBe(true);
  } finally {
    await follower.close();
    await second?.close();
  }
});

test('a sequence that goes back to 0 on one connection is a new history', () =>
  withPod({ replay: false }, async (pod, follower) => {
    const next = await untilConnected(pod, follower);
    await pod.publish(next, [block(1), block(2)]);
    await until(() => follower.size() === 2);
    await pod.publish(0, [block(3)]);
    await until(() => follower.size() === 1);
    expect(follower.counts.get('restarted')).toBe(1);
    expect(follower.complete()).toBe(true);
  }));

test('frames that are no events are counted, and those after them are read', () =>
  withPod({ replay: false }, async (pod, follower) => {
    const next = await untilConnected(pod, follower);
    await pod.send(['only one']);
    await pod.send([EMPTY, Buffer.from('short'), EMPTY]);
    await pod.send([EMPTY, seqOf(next), Buffer.from('no msgpack, this')]);
    await pod.publish(next + 1, [block(1)]);
    await until(() => follower.size() === 1);
    expect(follower.counts.get('malformed')).toBe(3);
    expect(follower.complete()).toBe(false);
  }));

test('a message above the limit ends the connection, and another one begins', () =>
  withPod({ replay: false }, async (pod, follower) => {
    const next = await untilConnected(pod, follower);
    await pod.send([EMPTY, seqOf(next), Buffer.alloc(2 * 1024 * 1024)]);
    await until(() => follower.counts.get('lost') === 1);
    for (let seq = next + 1; follower.size() === 0; seq++) {
      await pod.publish(seq, [block(1)]);
      await sleep(50);
    }
  }));

test('a flood leaves the event loop free and the blocks within their bound', () =>
  withPod({ replay: false }, async (pod, follower) => {
    let seq = await untilConnected(pod, follower);
    const many = (from: number) => Array.from({ length: 1000 }, (_, i) => block(from + i));
    let turns = 0;
    let over = false;
    const counting = (async () => {
      while (!over) {
        await nextTurn();
        turns += 1;
      }
    })();
    const applied = follower.counts.get('applied')!;
    for (let from = 1; from <= 20_000; from += 1000) await pod.publish(seq++, many(from));
    await until(() => follower.counts.get('applied')! + (follower.counts.get('malformed') ?? 0) >= applied + 15);
    over = true;
    await counting;
    expect(turns).toBeGreaterThan(10);
    expect(follower.size()).toBeLessThanOrEqual(10_000);
    expect(follower.complete()).toBe(false);
  }));

test('a pod that cannot be reached is given up at once when it is closed', async () => {
  const pod = await startFakePod();
  await pod.close();
  await follow(pod).close();
});
