import { type HttpConnection, type Outcome, openHttpConnection } from './http-connection';

/** Keep-alive connections to one address; a request that finds none idle opens another, up to the limit, or waits. */
export interface ConnectionPool {
  send(message: readonly Buffer[], done: (outcome: Outcome) => void): void;
  /** Opens connections until there are that many. */
  readonly inFlight: number;
  close(): void;
}

const REQUEST_TIMEOUT_MS = 10_000;

export function createConnectionPool(host: string, port: number, limit: number): ConnectionPool {
  const idle: Pooled[] = [];
  const all = new Set<Pooled>();
  const waiting: Array<() => void> = [];
  let inFlight = 0;

  const open = (): Pooled => {
    const pooled: Pooled = { connection: openHttpConnection(host, port, () => drop(pooled)), sentAt: undefined };
    all.add(pooled);
    return pooled;
  };
  const drop = (pooled: Pooled) => {
    all.delete(pooled);
    const at = idle.indexOf(pooled);
    if (at >= 0) idle.splice(at, 1);
  };
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const { connection, sentAt } of all) {
      if (sentAt !== undefined && now - sentAt > REQUEST_TIMEOUT_MS) connection.destroy('timeout');
    }
  }, 1_000);
  sweep.unref();

  const sendOn = (pooled: Pooled, message: readonly Buffer[], done: (outcome: Outcome) => void) => {
    pooled.sentAt = performance.now();
    pooled.connection.send(message, (outcome) => {
      pooled.sentAt = undefined;
      inFlight -= 1;
      if (all.has(pooled)) idle.push(pooled);
      done(outcome);
      waiting.shift()?.();
    });
  };

  return {
    get inFlight() {
      return inFlight;
    },
    send(message, done) {
      inFlight += 1;
      const pooled = idle.pop() ?? (all.size < limit ? open() : undefined);
      if (pooled !== undefined) return sendOn(pooled, message, done);
      waiting.push(() => sendOn(idle.pop() ?? open(), message, done));
    },
    close() {
      clearInterval(sweep);
      for (const { connection } of all) connection.destroy('pool closed');
    },
  };
}

interface Pooled {
  readonly connection: HttpConnection;
  /** Of the request in flight. */
  sentAt: number | undefined;
}
