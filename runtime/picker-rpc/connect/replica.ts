import { connect as connectSocket, type Socket } from 'node:net';
import { connect as connectTls, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { Peer } from '../peer';
import { encodeFrame } from '../wire/frames';
import { assertSameGateway, decodePickerHello, encodeRouterHello, type PickerHello } from '../wire/hello';
import { decodePickerMessage, type PickerMessage } from '../wire/picker-messages';
import { frames } from '../wire/router-messages';
import type { Place } from './address-follower';
import { rankOf } from './preference';

export interface ReplicaContext {
  readonly gateway: () => string;
  /** Of the router, and of its life. */
  readonly router: string;
  readonly boot: string;
  /** Read before each connection; undefined: not encrypted. */
  readonly tls: () => SecureContextOptions | undefined;
  readonly clock: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** Whether another connection leads to the same life of the same replica. */
  isKnown(hello: PickerHello): boolean;
  connected(replica: Replica): void;
  received(replica: Replica, message: PickerMessage): void;
  /** It was connected, and is not any more. */
  lost(replica: Replica): void;
}

const BACKOFF_MIN_MS = 50;
/** Below the time after which a picker gives a router up. */
const BACKOFF_MAX_MS = 2_000;
const CONNECT_TIMEOUT_MS = 3_000;
const PING_EVERY_MS = 1_000;
/** An unanswered ping's age from which on picks go elsewhere, and at which the connection is given up. */
const LATE_AFTER_MS = 1_500;
const LOST_AFTER_MS = 4_000;

/** The way to one replica: a connection that is made again whenever it ends. */
export class Replica {
  private peer: Peer | undefined;
  private hello: PickerHello | undefined;
  private warm = false;
  private ready: ReadonlySet<string> = new Set();
  private leaving = false;
  private late = false;
  /** Clock, milliseconds: of the oldest ping that nothing was heard after. */
  private askedAt: number | undefined;
  private failures = 0;
  private told: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private pings: NodeJS.Timeout | undefined;
  private closed = false;
  private readonly ranks = new Map<string, number>();

  constructor(
    readonly place: Place,
    private readonly context: ReplicaContext,
  ) {
    this.connect();
  }

  get isConnected(): boolean {
    return this.hello !== undefined;
  }

  /** It has said goodbye. */
  get isLeaving(): boolean {
    return this.leaving;
  }

  /** Only while connected. */
  get ranked(): { readonly replica: string; readonly startedAt: number; readonly warm: boolean } {
    const { replica, startedAt } = this.hello!;
    return { replica, startedAt, warm: this.warm };
  }

  isSameLife({ replica, boot }: PickerHello): boolean {
    return this.hello?.replica === replica && this.hello.boot === boot;
  }

  /** It may be asked to pick for the scheduler. */
  serves(scheduler: string): boolean {
    if (this.hello === undefined || this.late) return false;
    return this.hello.schedulers === undefined || this.hello.schedulers.includes(scheduler);
  }

  /** The scheduler had an endpoint that was ready when the replica last said. */
  hasEndpoints(scheduler: string): boolean {
    return this.ready.has(scheduler);
  }

  rank(scheduler: string): number {
    let rank = this.ranks.get(scheduler);
    if (rank === undefined) {
      rank = rankOf(scheduler, this.hello!.replica);
      this.ranks.set(scheduler, rank);
    }
    return rank;
  }

  /** Nothing happens while it is not connected: it is told all that is in flight when it is again. */
  send(frame: Buffer, isAwaited = false): void {
    if (this.hello !== undefined) this.peer?.send(frame, isAwaited);
  }

  /** It did not answer in time: it is not asked until it says something. */
  isLate(): void {
    this.late = true;
  }

  /** Ends the connection in order; a new one is tried later. */
  leave(reason: string): void {
    this.peer?.end(reason);
  }

  /** No connection is tried any more; the one that stands is used as long as it does. */
  retire(): void {
    this.closed = true;
    clearTimeout(this.timer);
    if (this.hello === undefined) this.peer?.cut('the address is no picker any more');
  }

  /** The address is a picker's again. */
  revive(): void {
    this.closed = false;
  }

  /** Ends the connection, and tries no other. */
  close(reason: string): void {
    this.retire();
    this.peer?.end(reason);
  }

  private connect(): void {
    const { context, place } = this;
    let socket: Socket;
    try {
      socket = this.openSocket();
    } catch (error) {
      this.tryAgain((error as Error).message);
      return;
    }
    const peer: Peer = new Peer(socket, {
      message: (message) => this.receive(message),
      closed: (reason) => {
        clearTimeout(giveUp);
        this.peer = undefined;
        this.disconnected(reason);
      },
    });
    const giveUp = setTimeout(() => peer.cut('it does not answer'), CONNECT_TIMEOUT_MS);
    this.peer = peer;
    peer.send(
      encodeFrame(encodeRouterHello({ gateway: context.gateway(), router: context.router, boot: context.boot })),
    );
    this.onHello = () => clearTimeout(giveUp);
    context.log.debug({ picker: place.key }, 'connecting to a picker');
  }

  private onHello: () => void = () => {};

  private openSocket(): Socket {
    const { address, serverName } = this.place;
    if ('path' in address) return connectSocket(address.path);
    const tls = this.context.tls();
    if (tls === undefined) return connectSocket(address.port, address.host);
    // A name is sent and checked; of an address without one the certificate must have the address.
    const names = serverName === undefined || serverName === address.host ? {} : { servername: serverName };
    return connectTls({ ...tls, ...names, host: address.host, port: address.port });
  }

  private receive(message: readonly unknown[]): void {
    this.askedAt = undefined;
    this.late = false;
    if (this.hello === undefined) {
      this.greet(message);
      return;
    }
    const decoded = decodePickerMessage(message);
    if (decoded.type === 'warm') this.warm = true;
    if (decoded.type === 'ready') this.ready = new Set(decoded.schedulers);
    if (decoded.type === 'goodbye') this.leaving = true;
    if (decoded.type === 'reject') this.rejected(decoded.reason);
    else this.context.received(this, decoded);
  }

  private greet(message: readonly unknown[]): void {
    // A picker that cannot take this router says why in place of its hello.
    const rejected = typeof message[0] === 'number' ? decodePickerMessage(message) : undefined;
    if (rejected?.type === 'reject') {
      this.rejected(rejected.reason);
      return;
    }
    const hello = decodePickerHello(message);
    assertSameGateway(this.context.gateway(), hello.gateway);
    if (this.context.isKnown(hello)) {
      this.peer?.cut(SECOND_WAY);
      return;
    }
    this.onHello();
    this.hello = hello;
    this.warm = hello.warm;
    this.failures = 0;
    this.told = undefined;
    this.ranks.clear();
    this.pings = setInterval(() => this.ping(), PING_EVERY_MS);
    this.context.log.info({ picker: this.place.key, replica: hello.replica }, 'picker connected');
    this.context.connected(this);
  }

  private rejected(reason: string): void {
    this.peer?.cut(`it refuses this router: ${reason}`);
  }

  private ping(): void {
    const now = this.context.clock();
    this.askedAt ??= now;
    const silentMs = now - this.askedAt;
    // What has come while this process was busy is read before it is judged by.
    setImmediate(() => {
      if (this.askedAt === undefined) return;
      if (silentMs > LOST_AFTER_MS) this.peer?.cut('it does not answer any more');
      else if (silentMs > LATE_AFTER_MS) this.late = true;
    });
    this.send(frames.ping());
  }

  private disconnected(reason: string): void {
    clearInterval(this.pings);
    const wasConnected = this.hello !== undefined;
    this.hello = undefined;
    this.askedAt = undefined;
    this.late = false;
    this.leaving = false;
    if (wasConnected) this.context.lost(this);
    this.tryAgain(reason, wasConnected);
  }

  private tryAgain(reason: string, wasConnected = false): void {
    if (this.closed) return;
    // Each reason once, until it changes or the picker is back.
    if (reason !== this.told && reason !== SECOND_WAY) {
      this.told = reason;
      const message = wasConnected ? 'picker lost; connecting again' : 'a picker cannot be reached; trying on';
      this.context.log.warn({ picker: this.place.key, reason }, message);
    }
    const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** Math.min(this.failures++, 10));
    // Routers that lost a picker together do not come back together.
    const delay = reason === SECOND_WAY ? BACKOFF_MAX_MS : longest * (0.5 + this.context.random() / 2);
    this.timer = setTimeout(() => this.connect(), delay);
  }
}

const SECOND_WAY = 'another address leads to the same picker';
