import { connect, type Socket } from 'node:net';

/** What became of a request: the status, or why there is none. */
export type Outcome = number | string;

/**
 * One keep-alive HTTP/1.1 connection, one request at a time. It understands only answers with Content-Length, which is
 * what the legs give, and costs a fraction of a full client.
 */
export interface HttpConnection {
  send(message: readonly Buffer[], done: (outcome: Outcome) => void): void;
  /** A request in flight ends with `reason`. */
  destroy(reason: string): void;
}

export function openHttpConnection(host: string, port: number, onClosed: () => void): HttpConnection {
  const socket: Socket = connect({ host, port, noDelay: true });
  let done: ((outcome: Outcome) => void) | undefined;
  let head = '';
  let status = 0;
  let bodyLeft = -1;
  let closeReason = 'closed by peer';

  const finish = (outcome: Outcome) => {
    const callback = done;
    done = undefined;
    head = '';
    bodyLeft = -1;
    callback?.(outcome);
  };

  socket.on('data', (chunk: Buffer) => {
    let at = 0;
    if (bodyLeft < 0) {
      const before = head.length;
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = /\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end + 2))?.[1];
      status = Number(head.slice(9, 12));
      if (length === undefined) {
        socket.destroy(new Error('answer without content-length'));
        return;
      }
      bodyLeft = Number(length);
      at = end + 4 - before;
    }
    bodyLeft -= chunk.length - at;
    if (bodyLeft === 0) finish(status);
    else if (bodyLeft < 0) socket.destroy(new Error('more bytes than content-length'));
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    closeReason = error.code ?? error.message;
  });
  socket.on('close', () => {
    onClosed();
    finish(closeReason);
  });

  return {
    send(message, callback) {
      done = callback;
      socket.cork();
      for (const piece of message) socket.write(piece);
      socket.uncork();
    },
    destroy(reason) {
      closeReason = reason;
      socket.destroy();
    },
  };
}
