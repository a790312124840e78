import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { Peer } from '../../../runtime/picker-rpc/peer';
import { encodeFrame } from '../../../runtime/picker-rpc/wire/frames';
import { until } from '../../support/until';

let server: Server;
let other: Socket;
let peer: Peer;
let received: Array<readonly unknown[]>;
let closed: string[];
let onMessage: (message: readonly unknown[]) => void;

beforeEach(async () => {
  received = [];
  closed = [];
  onMessage = (message) => received.push(message);
  const { promise, resolve } = Promise.withResolvers<Socket>();
  server = createServer(resolve).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  other = dial((server.address() as { port: number }).port, '127.0.0.1');
  other.on('error', () => {});
  peer = new Peer(await promise, { message: (message) => onMessage(message), closed: (reason) => closed.push(reason) });
});
afterEach(async () => {
  peer.cut('the test is over');
  other.destroy();
  await until('it is closed', () => closed.length > 0);
  await new Promise((done) => server.close(done));
});

test('frames of one turn leave in one write, in order', async () => {
  const chunks: Buffer[] = [];
  other.on('data', (chunk: Buffer) => chunks.push(chunk));
  const frames = [1, 2, 3].map((value) => encodeFrame([value]));
  for (const frame of frames) peer.send(frame);
  await until('they have come', () => chunks.length > 0);
  expect(chunks).toEqual([Buffer.concat(frames)]);
});

test('a peer that does not read is cut off, with what waited for it', async () => {
  other.pause();
  const frame = encodeFrame(['x'.repeat(1_000_000)]);
  for (let sent = 0; sent < 40; sent++) peer.send(frame);
  await until('it is cut off', () => closed.length > 0);
  expect(closed).toEqual(['it does not read what it is sent']);
});

test('what a handler throws ends the connection and nothing else', async () => {
  onMessage = () => {
    throw new Error('a fault of the handler');
  };
  other.write(Buffer.concat([encodeFrame([1]), encodeFrame([2])]));
  await until('it is closed', () => closed.length > 0);
  expect(closed).toEqual(['it could not be served: a fault of the handler']);
});

test('an end lets what was sent before leave, and takes no more', async () => {
  const chunks: Buffer[] = [];
  other.on('data', (chunk: Buffer) => chunks.push(chunk));
  const frame = encodeFrame(['last']);
  peer.send(frame);
  peer.end('done');
  peer.send(encodeFrame(['too late']));
  await until('it is closed', () => closed.length > 0);
  expect(Buffer.concat(chunks)).toEqual(frame);
});
