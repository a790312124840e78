import { connect } from 'node:net';

const TICK_MS = 10;

/**
 * One request on a connection of its own, its bytes sent at a steady rate as over a slower network. Resolves with the
 * status, or with what became of the connection.
 */
export function sendPaced(port: number, message: readonly Buffer[], bytesPerSecond: number): Promise<number | string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    const start = performance.now();
    let sent = 0;
    let piece = 0;
    let offset = 0;
    const tick = setInterval(() => {
      const due = ((performance.now() - start) / 1_000) * bytesPerSecond;
      while (sent < due && piece < message.length) {
        const rest = message[piece]!.subarray(offset);
        const part = rest.subarray(0, Math.ceil(due - sent));
        socket.write(part);
        sent += part.length;
        offset += part.length;
        if (part.length === rest.length) {
          piece += 1;
          offset = 0;
        }
      }
      if (piece === message.length) clearInterval(tick);
    }, TICK_MS);
    const end = (outcome: number | string) => {
      clearInterval(tick);
      socket.destroy();
      resolve(outcome);
    };
    socket.once('data', (chunk: Buffer) => end(Number(chunk.toString('latin1', 9, 12))));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.once('close', () => end('closed by peer'));
  });
}
