import type { PickRequest, Ticket } from '../../endpoint-picker/endpoint-picker';
import { frames, type InFlight, SNAPSHOT_PART } from '../wire/router-messages';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * The router's requests in flight: what each replica must know of. Of a request only its sizes are kept. It is as
 * large as the number of open streams.
 */
export class InFlightTickets {
  private readonly entries = new Map<number, Writable<InFlight>>();

  /** `tell` reaches every replica that picks for the scheduler. */
  constructor(private readonly tell: (scheduler: string, frame: Buffer) => void) {}

  enter(id: number, request: PickRequest, address: string): Ticket {
    const { scheduler, adapter, maxOutputTokens } = request;
    const entry: Writable<InFlight> = {
      id,
      scheduler,
      adapter,
      promptBytes: Math.round(request.promptBytes),
      maxOutputTokens,
      address,
      answered: false,
    };
    this.entries.set(id, entry);
    return {
      served: (at, attempts = 1, status) => {
        if (!this.entries.has(id)) return;
        if (at !== undefined) entry.address = at;
        entry.answered = true;
        this.tell(scheduler, frames.served(id, at, attempts, status));
      },
      firstToken: () => {
        if (this.entries.has(id)) this.tell(scheduler, frames.firstToken(id));
      },
      done: (status) => {
        if (this.entries.delete(id)) this.tell(scheduler, frames.done(id, status));
      },
    };
  }

  /** All of some schedulers, as the messages that tell a replica of them. */
  snapshot(isFor: (scheduler: string) => boolean): Buffer[] {
    const own = [...this.entries.values()].filter(({ scheduler }) => isFor(scheduler));
    const parts: Buffer[] = [];
    for (let from = 0; from === 0 || from < own.length; from += SNAPSHOT_PART) {
      parts.push(frames.snapshot(own.slice(from, from + SNAPSHOT_PART), from + SNAPSHOT_PART >= own.length));
    }
    return parts;
  }
}
