import { Duplex } from 'node:stream';

/** A socket whose peer is the test: what is pushed was sent by it, `writes` is what it gets. */
export class FakeSocket extends Duplex {
  writes: Buffer[] = [];
  /** The peer does not read: the first write that it meets stays under way. */
  stalled = false;
  private blocked: (() => void) | undefined;

  constructor() {
    super({ allowHalfOpen: false });
  }

  /** Everything written since the last call. */
  takeSent(): Buffer {
    const sent = Buffer.concat(this.writes);
    this.writes = [];
    return sent;
  }

  readOn(): void {
    this.stalled = false;
    this.blocked?.();
    this.blocked = undefined;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    // As a kernel does: the sender may use its memory again.
    this.writes.push(Buffer.from(chunk));
    if (this.stalled) this.blocked = done;
    else done();
  }
}
