import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { encodeFrame, FrameReader } from '../../../../runtime/picker-rpc/wire/frames';
import { encodeRouterHello, MAGIC } from '../../../../runtime/picker-rpc/wire/hello';
import { decodePickerMessage } from '../../../../runtime/picker-rpc/wire/picker-messages';
import { until } from '../../../support/until';
import { createRig, GATEWAY, type MockReplica, REQUEST, type Rig, resultOf } from '../support/replicas';

let rig: Rig;
let replica: MockReplica;
const sockets: Socket[] = [];
beforeEach(async () => {
  rig = await createRig();
  replica = await rig.replica('a');
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await rig.close();
});

/** A raw connection to the replica; `messages` are what it said, `closed` resolves at its end. */
function dial() {
  const socket = connect((replica.server.address as { path: string }).path);
  sockets.push(socket);
  const messages: Array<readonly unknown[]> = [];
  const reader = new FrameReader((message) => messages.push(message));
  socket.on('data', (chunk: Buffer) => reader.push(chunk));
  socket.on('error', () => {});
  return { socket, messages, closed: new Promise<void>((resolve) => socket.once('close', () => resolve())) };
}

const hello = encodeFrame(encodeRouterHello({ gateway: GATEWAY, router: 'raw', boot: '1' }));

test('a peer that sends anything but the protocol is cut off, and a router beside it is served on', async () => {
  const router = await rig.router([replica]);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 5, maxLength: 200 }), fc.boolean(), async (bytes, isGreeted) => {
      const { socket, closed } = dial();
      if (isGreeted) socket.write(hello);
      socket.end(bytes);
      await closed;
    }),
    { numRuns: 60 },
  );
  expect((await resultOf(router.pick(REQUEST))).outcome).toBe('picked');
}, 60_000);

test('a router of another version is told both versions', async () => {
  const { socket, messages, closed } = dial();
  socket.write(encodeFrame([MAGIC, 99, 'router', GATEWAY, 'raw', '1']));
  await closed;
  const said = decodePickerMessage(messages[0]!);
  expect(said).toEqual({
    type: 'reject',
    reason:
      'the other side speaks version 99 of the picker protocol, this one 1; run the same release of routers and pickers',
  });
});

test('a router that connects anew ends its former connection and keeps its requests', async () => {
  const first = dial();
  first.socket.write(hello);
  await until('it is greeted', () => first.messages.length > 0);
  first.socket.write(encodeFrame([1, 7, ['default/llama', 'm', null, 4, null, new Uint8Array(0), false]]));
  await until('it has a pick', () => replica.inFlight() === 1);
  const second = dial();
  second.socket.write(hello);
  await first.closed;
  await until('the new one is greeted', () => second.messages.length > 0);
  expect([replica.inFlight(), replica.server.routers()]).toEqual([1, 1]);
});
