import { Duplex } from 'node:stream';
import { readDirectly } from '../../../../runtime/ext-proc/http2/direct-read';

const turn = () => new Promise(setImmediate);

function open() {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const received: string[] = [];
  return { socket, received, receive: (chunk: Buffer) => received.push(chunk.toString()) };
}

test('a chunk is delivered as it is read', () => {
  const { socket, received, receive } = open();
  readDirectly(socket, receive);

  socket.push(Buffer.from('a'));
  socket.push(Buffer.from('b'));

  expect(received).toEqual(['a', 'b']);
});

test('the end still ends the socket', async () => {
  const { socket, receive } = open();
  let ended = false;
  socket.on('end', () => {
    ended = true;
  });
  readDirectly(socket, receive);

  socket.push(Buffer.from('a'));
  socket.push(null);
  await turn();

  expect(ended).toBe(true);
});

test('a socket that does not use its push delivers by its event', async () => {
  const { socket, received, receive } = open();
  const original = socket.push.bind(socket);
  readDirectly(socket, receive);

  original(Buffer.from('a'));
  await turn();

  expect(received).toEqual(['a']);
});
