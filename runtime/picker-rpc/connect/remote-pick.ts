import type { PendingPick, PickRequest, PickResult } from '../../endpoint-picker/endpoint-picker';
import type { Replica } from './replica';

/** A pick that a replica has been asked for. */
export class RemotePick implements PendingPick {
  readonly result: Promise<PickResult>;
  /** Every replica that was asked, the last one last. */
  readonly asked: Replica[] = [];
  /** The replica has said that the request is held. */
  isQueued = false;
  private settled: ((result: PickResult) => void) | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** `at`: clock, milliseconds. */
  constructor(
    readonly id: number,
    readonly request: PickRequest,
    readonly at: number,
    private readonly onCancel: (pick: RemotePick) => void,
  ) {
    this.result = new Promise((resolve) => {
      this.settled = resolve;
    });
  }

  /** The replica whose answer is awaited. */
  get replica(): Replica | undefined {
    return this.asked.at(-1);
  }

  get isSettled(): boolean {
    return this.settled === undefined;
  }

  /** The first result counts. */
  settle(result: PickResult): void {
    clearTimeout(this.timer);
    this.settled?.(result);
    this.settled = undefined;
  }

  /** Calls back after so many milliseconds, in place of the former call, unless the pick is settled before. */
  await(milliseconds: number, expired: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      // An answer that came while this process was busy lies in the socket and is read first.
      setImmediate(() => {
        if (!this.isSettled) expired();
      });
    }, milliseconds);
  }

  cancel(): void {
    if (this.isSettled) return;
    this.settle({ outcome: 'cancelled', retryAfterSeconds: 1 });
    this.onCancel(this);
  }
}
