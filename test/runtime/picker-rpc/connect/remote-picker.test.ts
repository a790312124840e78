import { createServer } from 'node:net';
import { join } from 'node:path';
import type { PickedEndpoints } from '../../../../runtime/endpoint-picker/endpoint-picker';
import type { RemotePicker } from '../../../../runtime/picker-rpc/connect/remote-picker';
import { encodeFrame, FrameReader } from '../../../../runtime/picker-rpc/wire/frames';
import { encodePickerHello } from '../../../../runtime/picker-rpc/wire/hello';
import { until } from '../../../support/until';
import { createRig, GATEWAY, type MockReplica, REQUEST, type Rig, resultOf, SCHEDULER } from '../support/replicas';

let rig: Rig;
beforeEach(async () => {
  rig = await createRig();
});
afterEach(() => rig.close());

const picked = async (router: RemotePicker) => (await resultOf(router.pick(REQUEST))) as PickedEndpoints;

/** Which of the replicas picks for the scheduler, and which do not. */
async function byRank(router: RemotePicker, replicas: readonly MockReplica[]) {
  (await picked(router)).ticket.done(200);
  const primary = replicas.find(({ asked }) => asked.length > 0)!;
  const others = replicas.filter((one) => one !== primary);
  await until('all know that it is over', () =>
    replicas.every((one) => one.inFlight() === 0 && one.ended.length === 1),
  );
  return { primary, others };
}

test('all picks of all routers go to one replica, and the others are told of each and of its end', async () => {
  const replicas = [await rig.replica('a'), await rig.replica('b'), await rig.replica('c')];
  const routers = [
    await rig.router(replicas, { router: 'one' }),
    await rig.router([...replicas].reverse(), { router: 'two' }),
  ];
  const results = await Promise.all([0, 1, 0, 1].map((index) => picked(routers[index]!)));
  const primary = replicas.find(({ asked }) => asked.length > 0)!;
  expect(primary.asked).toHaveLength(4);
  const others = replicas.filter((one) => one !== primary);
  await until('the others are told', () => others.every(({ told }) => told.length === 4));
  expect(others[0]!.told[0]).toEqual({ request: REQUEST, endpoints: results[0]!.endpoints });
  expect(replicas.map((one) => one.inFlight())).toEqual([4, 4, 4]);

  for (const { ticket } of results) {
    ticket.served('elsewhere:1', 1, 200);
    ticket.served(undefined);
    ticket.done(200);
    ticket.done(500);
  }
  await until('all are told the end', () => replicas.every((one) => one.inFlight() === 0));
  for (const { ended, served } of replicas) {
    expect(ended).toEqual([200, 200, 200, 200]);
    const each = [
      ['elsewhere:1', 200],
      [undefined, undefined],
    ];
    expect(served).toEqual([each, each, each, each].flat());
  }
});

test('a replica that is warm is preferred to one that has just started', async () => {
  const cold = await rig.replica('cold');
  const warm = await rig.replica('warm', { warmAfterMs: 1 });
  const router = await rig.router([cold, warm]);
  await until('it has become warm', async () => {
    (await picked(router)).ticket.done(200);
    return warm.asked.length > 0;
  });
  const before = cold.asked.length;
  for (let index = 0; index < 5; index++) (await picked(router)).ticket.done(200);
  expect(cold.asked).toHaveLength(before);
});

test('without any replica there is no answer', async () => {
  const router = rig.lonelyRouter({ targets: [{ scheduler: undefined, address: { path: join(rig.folder, 'no') } }] });
  expect(await picked(router)).toEqual({ outcome: 'no-answer' });
});

test('when the replica that picks is gone another picks, and a held request is asked for again with the time that it was held', async () => {
  const replicas = [await rig.replica('a'), await rig.replica('b')];
  const router = await rig.router(replicas);
  const { primary, others } = await byRank(router, replicas);
  primary.hold();
  const held = resultOf(router.pick(REQUEST));
  await until('it is held', () => primary.waiting() === 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await primary.server.close(0);

  expect((await held).outcome).toBe('picked');
  expect(others[0]!.asked.at(-1)!.heldMs).toBeGreaterThanOrEqual(45);
  expect((await picked(router)).outcome).toBe('picked');
});

test('a replica that says goodbye gives its held picks to another, and is left', async () => {
  const replicas = [await rig.replica('a'), await rig.replica('b')];
  const router = await rig.router(replicas);
  const { primary, others } = await byRank(router, replicas);
  primary.hold();
  const held = resultOf(router.pick(REQUEST));
  await until('it is held', () => primary.waiting() === 1);
  // Without a cut: the router must leave by itself.
  await primary.server.close(600_000);

  expect((await held).outcome).toBe('picked');
  expect(others[0]!.asked).toHaveLength(1);
});

test('the only replica is asked on after its goodbye, and left when there is another', async () => {
  const only = await rig.replica('only');
  const later = join(rig.folder, 'later.sock');
  const router = rig.lonelyRouter({ targets: [only.target, { scheduler: undefined, address: { path: later } }] });
  await until('it is connected', () => router.connected() === 1);
  const closing = only.server.close(600_000);
  expect((await picked(router)).outcome).toBe('picked');
  expect(only.asked).toHaveLength(1);

  const second = await rig.replica('later');
  await closing;
  expect((await picked(router)).outcome).toBe('picked');
  expect(second.asked).toHaveLength(1);
});

test('a client that goes away takes its request out of the queue', async () => {
  const replica = await rig.replica('a');
  const router = await rig.router([replica]);
  replica.hold();
  const pending = router.pick(REQUEST);
  await until('it is held', () => replica.waiting() === 1);
  if ('outcome' in pending) throw new Error('the pick is not pending');
  pending.cancel();
  expect(await pending.result).toEqual({ outcome: 'cancelled', retryAfterSeconds: 1 });
  await until('it has left the queue', () => replica.waiting() === 0);
});

test('a replica that fails, or does not know the scheduler, is passed over', async () => {
  const replicas = [await rig.replica('a'), await rig.replica('b')];
  const router = await rig.router(replicas);
  const { primary, others } = await byRank(router, replicas);
  primary.fail();
  expect((await picked(router)).outcome).toBe('picked');
  expect(others[0]!.asked).toHaveLength(1);
  expect(await resultOf(router.pick({ ...REQUEST, scheduler: 'default/unknown' }))).toEqual({ outcome: 'no-answer' });
});

test('what was in flight while a replica was away it learns when it is back', async () => {
  const first = await rig.replica('a');
  const router = await rig.router([first]);
  const results = await Promise.all(Array.from({ length: 600 }, () => picked(router)));
  await first.server.close(0);
  expect(first.inFlight()).toBe(0);

  const again = await rig.replica('a');
  await until('it knows all', () => again.inFlight() === 600);
  for (const { ticket } of results) ticket.done(200);
  await until('and their ends', () => again.inFlight() === 0);
});

test('what a router had in flight is over when it is started again, and when it does not come back', async () => {
  const replica = await rig.replica('a', { lostAfterMs: 50 });
  const first = await rig.router([replica], { router: 'x' });
  await picked(first);
  const second = await rig.router([replica], { router: 'x' });
  await until('the former life is over', () => replica.inFlight() === 0);
  first.close();
  await picked(second);
  expect(replica.inFlight()).toBe(1);
  second.close();
  await until('the router is given up', () => replica.inFlight() === 0);
  expect(replica.ended).toEqual([undefined, undefined]);
});

test('a replica that does not answer costs one deadline, and is not asked again until it says something', async () => {
  const well = await rig.replica('well');
  // A mock that greets, as the older replica, and then is silent.
  const path = join(rig.folder, 'silent.sock');
  let messages = 0;
  const silent = createServer((socket) => {
    const reader = new FrameReader(() => messages++);
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.on('error', () => {});
    const hello = { gateway: GATEWAY, replica: 's', boot: '0', startedAt: 0, warm: true, schedulers: undefined };
    socket.write(encodeFrame(encodePickerHello(hello)));
  });
  await new Promise<void>((resolve) => silent.listen(path, resolve));
  try {
    const router = await rig.router([well, { target: { scheduler: undefined, address: { path } } }], {
      answerDeadlineMs: 500,
    });
    expect((await picked(router)).endpoints[0]).toBe('well:1');
    const before = messages;
    expect((await picked(router)).endpoints[0]).toBe('well:1');
    expect(well.asked).toHaveLength(2);
    // It is told of picks, but asked for none.
    await until('it is told', () => messages > before);
  } finally {
    silent.close();
  }
});

test('picks of a scheduler with pickers of its own go there', async () => {
  const [shared, own] = [await rig.replica('shared'), await rig.replica('own')];
  const router = await rig.router([], {
    targets: [shared.target, { ...own.target, scheduler: SCHEDULER }],
  });
  await picked(router);
  expect([shared.asked.length, own.asked.length, shared.told.length]).toEqual([0, 1, 0]);
});

test('a scheduler has endpoints by the last word of its replicas, also while they are away', async () => {
  let ready = [SCHEDULER];
  const replica = await rig.replica('a', { ready: () => ready });
  const router = await rig.router([replica]);
  await until('it is told', () => router.hasEndpoints(SCHEDULER));
  expect(router.hasEndpoints('default/other')).toBe(false);
  ready = ['default/other'];
  replica.server.readyChanged();
  await until('it is told of the change', () => router.hasEndpoints('default/other'));
  expect(router.hasEndpoints(SCHEDULER)).toBe(false);
  await replica.server.close(0);
  await until('it is gone', () => router.connected() === 0);
  expect(router.hasEndpoints('default/other')).toBe(true);
});

describe('targets that come and go', () => {
  const OTHER = 'default/other';
  const named = (replica: MockReplica, scheduler: string) => ({ ...replica.target, scheduler });

  test('a scheduler that comes is picked for without a restart, and the connections of one that goes are ended', async () => {
    const [first, second] = [await rig.replica('first'), await rig.replica('second', { knows: () => true })];
    const router = await rig.router([], { targets: [named(first, SCHEDULER)] });
    const held = await picked(router);
    expect(await resultOf(router.pick({ ...REQUEST, scheduler: OTHER }))).toEqual({ outcome: 'no-answer' });

    router.follow([named(first, SCHEDULER), named(second, OTHER)]);
    await until('it is connected', () => router.connected() === 2);
    expect((await resultOf(router.pick({ ...REQUEST, scheduler: OTHER }))).outcome).toBe('picked');

    router.follow([named(second, OTHER)]);
    await until('the connection is ended', () => router.connected() === 1 && first.server.routers() === 0);
    expect(await picked(router)).toEqual({ outcome: 'no-answer' });
    held.ticket.done(200);
    expect(rig.logs.filter((line) => line.includes('picker lost'))).toEqual([]);
  });

  test('picks that are held for a scheduler that goes have no answer at once', async () => {
    const replica = await rig.replica('a');
    const router = await rig.router([], { targets: [named(replica, SCHEDULER)] });
    replica.hold();
    const pending = resultOf(router.pick(REQUEST));
    await until('it is held', () => replica.waiting() === 1);
    router.follow([]);
    expect(await pending).toEqual({ outcome: 'no-answer' });
    await until('the replica has let it go', () => replica.waiting() === 0);
  });

  test('one that comes back before its connection has ended is connected again', async () => {
    const replica = await rig.replica('a');
    const router = await rig.router([], { targets: [named(replica, SCHEDULER)] });
    router.follow([]);
    router.follow([named(replica, SCHEDULER)]);
    await until('it picks', async () => (await picked(router)).outcome === 'picked');
    expect(router.connected()).toBe(1);
  });

  test('a replica of two schedulers is left when the second goes', async () => {
    const replica = await rig.replica('a', { knows: () => true });
    const router = await rig.router([], { targets: [named(replica, SCHEDULER), named(replica, OTHER)] });
    router.follow([named(replica, OTHER)]);
    expect((await resultOf(router.pick({ ...REQUEST, scheduler: OTHER }))).outcome).toBe('picked');
    expect(router.connected()).toBe(1);
    router.follow([]);
    await until('it is left', () => router.connected() === 0);
  });

  test('a name that gets its first address late is connected soon after', async () => {
    const replica = await rig.replica('a', { listen: { host: '127.0.0.1', port: 0 } });
    const { port } = replica.server.address as { port: number };
    let addresses: string[] = [];
    const router = await rig.router([], {
      targets: [],
      resolve: async () => {
        if (addresses.length === 0) throw new Error('ENOTFOUND');
        return addresses;
      },
    });
    router.follow([{ scheduler: SCHEDULER, address: { host: 'a-epp.default.svc', port } }]);
    expect(await picked(router)).toEqual({ outcome: 'no-answer' });
    addresses = ['127.0.0.1'];
    const from = performance.now();
    await until('it is connected', () => router.connected() === 1);
    expect(performance.now() - from).toBeLessThan(2_500);
    expect(rig.logs.filter((line) => line.includes('cannot be looked up'))).toHaveLength(1);
  });
});

test('two replicas of one name are told of: routers would not agree on whom to ask', async () => {
  const one = await rig.replica('same');
  const identity = { replica: 'same', boot: 'other', startedAt: 0, schedulers: undefined };
  const other = await rig.replica('other', { identity });
  await rig.router([one, other]);
  expect(rig.logs.filter((line) => line.includes('"replica":"same"') && line.includes('--name'))).toHaveLength(1);
});

test('every address of a name is a replica', async () => {
  const replicas = await Promise.all(
    ['127.0.0.1', '127.0.0.2'].map((host) => rig.replica(host, { listen: { host, port: 0 } })),
  );
  const port = (replicas[0]!.server.address as { port: number }).port;
  await replicas[1]!.server.close(0);
  const second = await rig.replica('second', { listen: { host: '127.0.0.2', port } });
  const router = await rig.router([], {
    targets: [{ scheduler: undefined, address: { host: 'pickers.test', port } }],
    resolve: async () => ['127.0.0.1', '127.0.0.2'],
  });
  await until('both are connected', () => router.connected() === 2);
  await picked(router);
  await until('both know', () => replicas[0]!.inFlight() === 1 && second.inFlight() === 1);
});

test('a router of another gateway is refused, and both sides say why', async () => {
  const replica = await rig.replica('a');
  rig.lonelyRouter({ targets: [replica.target], gateway: () => 'default/other' });
  await until('both have said', () => rig.logs.filter((line) => line.includes('default/other')).length >= 2);
  expect(replica.server.routers()).toBe(0);
  expect(rig.logs.join('')).toContain('it refuses this router: the other side belongs to the gateway');
});
