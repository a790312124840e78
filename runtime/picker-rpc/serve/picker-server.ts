import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { type ListenAddress, listen } from '../../ext-proc/listen';
import { createListener } from '../../ext-proc/tls-listener';
import { sparing } from '../../telemetry/sparing';
import { CLOSED_BY_PEER, Peer } from '../peer';
import { encodeFrame } from '../wire/frames';
import { assertSameGateway, decodeRouterHello, encodePickerHello, type PickerHello } from '../wire/hello';
import { frames } from '../wire/picker-messages';
import { decodeRouterMessage } from '../wire/router-messages';
import type { SessionContext } from './router-session';
import { RouterSessions } from './router-sessions';

export interface PickerServerOptions extends SessionContext {
  readonly listen: ListenAddress;
  /** Without it connections are not encrypted. With a `ca`, routers must show a certificate of it. */
  readonly tls?: SecureContextOptions;
  readonly gateway: () => string;
  /** Schedulers, each `namespace/name`, that have an endpoint which is ready. */
  readonly ready: () => readonly string[];
  /** Of the hello. */
  readonly identity: Pick<PickerHello, 'replica' | 'boot' | 'startedAt' | 'schedulers'>;
  /** Milliseconds, never going back. */
  readonly clock: () => number;
  /** Milliseconds. Default 5 minutes; see `WARM_AFTER_MS`. */
  readonly warmAfterMs?: number;
  /** A router that is not back in so long has lost its requests here. Milliseconds, default 6000. */
  readonly lostAfterMs?: number;
  readonly log: Logger;
}

export interface PickerServer {
  readonly address: ListenAddress;
  /** Routers connected now. */
  routers(): number;
  /** For connections from now on. */
  setTls(tls: SecureContextOptions): void;
  /** `ready` may say something else: routers are told. */
  readyChanged(): void;
  /** Takes no more routers, and asks those that are connected to pick elsewhere. */
  goodbye(): void;
  /** After `goodbye`: waits for at most `drainMs` until the routers have gone, then cuts them off. Idempotent. */
  close(drainMs: number): Promise<void>;
}

/**
 * A replica that has just started knows no prefixes. It is told all that the others pick, and after this time it has seen
 * what conversations of the moment are made of: until then routers prefer a replica that has. Milliseconds.
 */
const WARM_AFTER_MS = 300_000;

/** A router that says nothing for so long is gone; it pings every second. Milliseconds. */
const SILENT_MS = 10_000;
const CHECK_MS = 1_000;

/** Connections at once: routers, old connections of theirs, and strangers that have not said who they are. */
const MAX_CONNECTIONS = 2_048;

/** Serves picks, and keeps the ledger entries of routers. Rejects when the address cannot be had. */
export async function servePickerRpc(options: PickerServerOptions): Promise<PickerServer> {
  const { identity, clock, log, warmAfterMs = WARM_AFTER_MS } = options;
  const sessions = new RouterSessions(options, options.lostAfterMs);
  const peers = new Map<Peer, { heardAt: number; known: boolean }>();
  let warm = false;
  let ready = options.ready();
  let leaving = false;
  let closing: Promise<void> | undefined;

  const tell = (frame: Buffer) => {
    for (const [peer, { known }] of peers) if (known) peer.send(frame);
  };

  function accept(socket: Socket): void {
    const state = { heardAt: clock(), known: false };
    let receive: ((message: readonly unknown[]) => void) | undefined;
    let leave = () => {};
    let router = 'unknown';
    const peer: Peer = new Peer(socket, {
      message(message) {
        state.heardAt = clock();
        if (receive !== undefined) {
          receive(message);
          return;
        }
        const hello = decodeOrReject(() => {
          const read = decodeRouterHello(message);
          assertSameGateway(options.gateway(), read.gateway);
          return read;
        });
        if (hello === undefined) return;
        router = hello.router;
        state.known = true;
        peer.send(encodeFrame(encodePickerHello({ ...identity, gateway: options.gateway(), warm })));
        peer.send(frames.ready(options.ready()));
        if (leaving) peer.send(frames.goodbye());
        const joined = sessions.join(hello, peer);
        leave = joined.leave;
        receive = (next) => joined.session.receive(decodeRouterMessage(next));
        log.info({ router }, 'router connected');
      },
      closed(reason) {
        peers.delete(peer);
        leave();
        if (state.known) log[reason === CLOSED_BY_PEER ? 'info' : 'warn']({ router, reason }, 'router disconnected');
        else log.warn({ reason }, 'a connection ended before it was known whose it is');
      },
    });
    peers.set(peer, state);

    function decodeOrReject<T>(read: () => T): T | undefined {
      try {
        return read();
      } catch (error) {
        const reason = (error as Error).message;
        peer.send(frames.reject(reason));
        peer.end(reason);
        return undefined;
      }
    }
  }

  const { server, setTls } = createListener({
    tls: options.tls,
    serve: accept,
    onRefused: sparing((reason) => log.warn({ reason }, 'a connection was refused: TLS could not be agreed on'), clock),
  });
  server.maxConnections = MAX_CONNECTIONS;
  const address = await listen(server, options.listen);
  server.on('error', (error) => log.warn({ reason: error.message }, 'the listener of the picker protocol has a fault'));
  const watch = setInterval(() => {
    const now = clock();
    for (const [peer, { heardAt }] of peers) if (now - heardAt > SILENT_MS) peer.cut('it said nothing any more');
  }, CHECK_MS);
  const warming = setTimeout(() => {
    warm = true;
    tell(frames.warm());
  }, warmAfterMs);

  async function drain(drainMs: number): Promise<void> {
    goodbye();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const cut = setTimeout(() => {
      for (const peer of peers.keys()) peer.cut('the picker ends');
    }, drainMs);
    for (const [peer, { known }] of peers) if (!known) peer.cut('the picker ends');
    await closed;
    clearTimeout(cut);
    clearInterval(watch);
    clearTimeout(warming);
    sessions.close();
  }

  function goodbye(): void {
    if (leaving) return;
    leaving = true;
    tell(frames.goodbye());
  }

  return {
    address,
    routers: () => sessions.connected(),
    setTls,
    readyChanged() {
      const next = options.ready();
      if (String(next) === String(ready)) return;
      ready = next;
      tell(frames.ready(next));
    },
    goodbye,
    close(drainMs) {
      closing ??= drain(drainMs);
      return closing;
    },
  };
}
