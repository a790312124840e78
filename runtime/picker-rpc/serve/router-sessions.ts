import type { Peer } from '../peer';
import type { RouterHello } from '../wire/hello';
import { ProtocolFault } from '../wire/protocol-fault';
import { RouterSession, type SessionContext } from './router-session';

/** A router that is not back in so long has lost its requests here. It tries again at least every 2 s. Milliseconds. */
const LOST_AFTER_MS = 6_000;

/** Routers whose requests are kept at once. */
const MAX_SESSIONS = 1_024;

interface Seat {
  readonly boot: string;
  readonly session: RouterSession;
  peer: Peer | undefined;
  expiry: NodeJS.Timeout | undefined;
}

/** The sessions of all routers, by the router: one connection and one life each. */
export class RouterSessions {
  private readonly seats = new Map<string, Seat>();

  /** `lostAfterMs`: default 6000. */
  constructor(
    private readonly context: SessionContext,
    private readonly lostAfterMs = LOST_AFTER_MS,
  ) {}

  /** Routers connected now. */
  connected(): number {
    return [...this.seats.values()].filter(({ peer }) => peer !== undefined).length;
  }

  /**
   * A router has said who it is: it takes up its session, or begins one where it is new or was started again. Its
   * former connection, if it still stands, is ended. Throws `ProtocolFault` where there are too many.
   */
  join({ router, boot }: RouterHello, peer: Peer): { readonly session: RouterSession; leave(): void } {
    const former = this.seats.get(router);
    if (former !== undefined && former.boot !== boot) this.end(router, former);
    const seat = this.seats.get(router) ?? this.begin(router, boot);
    clearTimeout(seat.expiry);
    seat.expiry = undefined;
    const { peer: old } = seat;
    seat.peer = peer;
    if (old !== undefined) {
      seat.session.disconnected();
      old.end('the router has connected anew');
    }
    return { session: seat.session, leave: () => this.leave(router, seat, peer) };
  }

  /** Ends every session. */
  close(): void {
    for (const [router, seat] of this.seats) this.end(router, seat);
  }

  private begin(router: string, boot: string): Seat {
    if (this.seats.size >= MAX_SESSIONS) throw new ProtocolFault(`more than ${MAX_SESSIONS} routers`);
    const seat: Seat = {
      boot,
      session: new RouterSession(this.context, (frame) => seat.peer?.send(frame, true)),
      peer: undefined,
      expiry: undefined,
    };
    this.seats.set(router, seat);
    return seat;
  }

  private leave(router: string, seat: Seat, peer: Peer): void {
    if (seat.peer !== peer) return;
    seat.peer = undefined;
    seat.session.disconnected();
    seat.expiry = setTimeout(() => this.end(router, seat), this.lostAfterMs);
  }

  private end(router: string, seat: Seat): void {
    clearTimeout(seat.expiry);
    const { peer } = seat;
    seat.peer = undefined;
    peer?.end('the router was started again');
    seat.session.lost();
    if (this.seats.get(router) === seat) this.seats.delete(router);
  }
}
