import type { Duplex } from 'node:stream';

/**
 * Hands each chunk that a socket reads to `receive` at once. A socket's own delivery takes a turn of `nextTick` for each
 * chunk, which costs more than what is done with it here; so its `push` is overridden, by which it is told what was
 * read. Should a version of Node not call that, `data` brings the chunks. There is no back-pressure: `receive` bounds
 * what it keeps.
 */
export function readDirectly(socket: Duplex, receive: (chunk: Buffer) => void): void {
  const deliver = socket.push;
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (chunk === null) return deliver.call(socket, chunk, encoding);
    receive(chunk);
    return true;
  };
  socket.on('data', receive);
}
