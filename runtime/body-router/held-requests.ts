import type { PendingPick, PickResult } from '../endpoint-picker/endpoint-picker';
import type { Answer } from '../ext-proc/processor';

/** What becomes of one request whose pick is awaited: exactly one of these is called, once. */
export interface HeldRequest {
  picked(result: PickResult): Answer;
  failed(error: unknown): Answer;
  /** The router ends before the pick is made. */
  shutDown(): Answer;
}

/** The requests of a router whose picks are awaited, so that each is answered when the router ends. */
export class HeldRequests {
  private readonly refusals = new Set<() => void>();
  private closed = false;

  /** Resolves with the answer. Where the pick is made after the answer, its ticket is given back. */
  wait(pending: PendingPick, request: HeldRequest): Promise<Answer> {
    return new Promise((resolve) => {
      let answered = false;
      const answer = (make: () => Answer): boolean => {
        if (answered) return false;
        answered = true;
        this.refusals.delete(refuse);
        resolve(make());
        return true;
      };
      const refuse = () => {
        if (answer(() => request.shutDown())) pending.cancel();
      };
      pending.result.then(
        (result) => {
          if (!answer(() => request.picked(result)) && result.outcome === 'picked') result.ticket.done();
        },
        (error: unknown) => void answer(() => request.failed(error)),
      );
      this.refusals.add(refuse);
      if (this.closed) refuse();
    });
  }

  /** Answers all that is held, and all that would be from now on, with `shutDown`. */
  refuseAll(): void {
    this.closed = true;
    for (const refuse of [...this.refusals]) refuse();
  }
}
