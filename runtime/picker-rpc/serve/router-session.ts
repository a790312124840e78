import type {
  EndpointPicker,
  PendingPick,
  PickRequest,
  PickResult,
  Ticket,
} from '../../endpoint-picker/endpoint-picker';
import type { Picker } from '../../endpoint-picker/picker';
import { frames } from '../wire/picker-messages';
import { ProtocolFault } from '../wire/protocol-fault';
import type { InFlight, RouterMessage } from '../wire/router-messages';

/** Requests that one router may have here. It has a connection of Envoy's, and memory, for far fewer. */
const MAX_REQUESTS = 100_000;

export interface SessionContext {
  readonly picker: EndpointPicker;
  readonly enter: Picker['enter'];
  /** Whether this replica picks for the scheduler. */
  readonly knows: (scheduler: string) => boolean;
  onPickerError(error: unknown): void;
}

/**
 * What one life of a router has here: ledger entries, and picks that are held. The entries outlive a connection for a
 * while; the picks do not, for their router asks another replica.
 */
export class RouterSession {
  private readonly tickets = new Map<number, Ticket>();
  private readonly held = new Map<number, PendingPick>();
  /** Of a snapshot that is under way. */
  private readonly seen = new Set<number>();

  /** `send` reaches the router's connection of the moment, if there is one. */
  constructor(
    private readonly context: SessionContext,
    private readonly send: (frame: Buffer) => void,
  ) {}

  /** Requests in the ledger, and held ones. */
  get size(): number {
    return this.tickets.size + this.held.size;
  }

  /** Throws `ProtocolFault` for what the router must not send. */
  receive(message: RouterMessage): void {
    const ticket = 'id' in message ? this.tickets.get(message.id) : undefined;
    switch (message.type) {
      case 'pick':
        this.forget(message.id);
        this.assertRoom();
        this.pick(message.id, message.request);
        break;
      case 'told':
        this.forget(message.id);
        this.enter(message.id, message.request, message.endpoints, message.matchedBlocks);
        break;
      case 'cancel':
        this.forget(message.id);
        break;
      case 'served':
        ticket?.served(message.address, message.attempts, message.status);
        break;
      case 'first-token':
        ticket?.firstToken();
        break;
      case 'done':
        this.done(message.id, message.status);
        break;
      case 'snapshot':
        this.snapshot(message.entries, message.last);
        break;
      case 'ping':
        this.send(frames.pong());
        break;
    }
  }

  /** The connection is gone. Nobody waits for the picks that are held. */
  disconnected(): void {
    for (const pending of this.held.values()) pending.cancel();
    this.held.clear();
    this.seen.clear();
  }

  /** The router is gone for good, so that nobody knows what became of its requests: they count as given up. */
  lost(): void {
    this.disconnected();
    for (const ticket of this.tickets.values()) ticket.done();
    this.tickets.clear();
  }

  private pick(id: number, request: PickRequest): void {
    if (!this.context.knows(request.scheduler)) {
      this.send(frames.undecided(id));
      return;
    }
    let picked: PickResult | PendingPick;
    try {
      picked = this.context.picker.pick(request);
    } catch (error) {
      this.failed(id, error);
      return;
    }
    if ('outcome' in picked) this.settle(id, picked);
    else this.hold(id, picked);
  }

  private hold(id: number, pending: PendingPick): void {
    this.held.set(id, pending);
    this.send(frames.queued(id));
    /** Whether the router still waits for it. */
    const leaves = () => this.held.get(id) === pending && this.held.delete(id);
    pending.result.then(
      (result) => {
        if (leaves()) this.settle(id, result);
        else if (result.outcome === 'picked') result.ticket.done();
      },
      (error: unknown) => {
        if (leaves()) this.failed(id, error);
      },
    );
  }

  private settle(id: number, result: PickResult): void {
    if (result.outcome === 'picked') {
      this.tickets.set(id, result.ticket);
      this.send(frames.picked(id, result));
    } else this.send(result.outcome === 'no-answer' ? frames.undecided(id) : frames.refused(id, result));
  }

  private failed(id: number, error: unknown): void {
    this.context.onPickerError(error);
    this.send(frames.undecided(id));
  }

  private enter(id: number, request: PickRequest, endpoints: readonly string[], matchedBlocks: number): void {
    this.assertRoom();
    const ticket = this.context.enter(request, endpoints, matchedBlocks);
    if (ticket !== undefined) this.tickets.set(id, ticket);
  }

  private done(id: number, status: number | undefined): void {
    this.held.get(id)?.cancel();
    this.held.delete(id);
    this.tickets.get(id)?.done(status);
    this.tickets.delete(id);
  }

  private forget(id: number): void {
    this.done(id, undefined);
  }

  private snapshot(entries: readonly InFlight[], last: boolean): void {
    for (const entry of entries) {
      this.seen.add(entry.id);
      if (this.tickets.has(entry.id)) continue;
      // Another replica has sent what is still held here.
      this.forget(entry.id);
      this.enter(entry.id, asRequest(entry), [entry.address], 0);
    }
    if (!last) return;
    for (const id of [...this.tickets.keys()]) if (!this.seen.has(id)) this.forget(id);
    this.seen.clear();
  }

  private assertRoom(): void {
    if (this.size >= MAX_REQUESTS || this.seen.size > MAX_REQUESTS) {
      throw new ProtocolFault(`the router has more than ${MAX_REQUESTS} requests in flight`);
    }
  }
}

/** The prompt of a request whose answer has begun is computed: nothing of it is ahead of others any more. */
function asRequest({ scheduler, adapter, promptBytes, maxOutputTokens, answered }: InFlight): PickRequest {
  return {
    scheduler,
    model: adapter ?? '',
    ...(adapter !== undefined && { adapter }),
    promptBytes: answered ? 0 : promptBytes,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    prefixHashes: [],
    explain: false,
  };
}
