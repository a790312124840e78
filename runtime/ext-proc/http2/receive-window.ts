/**
 * One of the windows in which the peer sends. Half of it may be used before the peer is told to go on, so that small
 * streams need no word at all.
 */
export class ReceiveWindow {
  /** Taken since the last update. */
  private used = 0;

  constructor(private readonly size: number) {}

  /** False where the peer sends more than it may. */
  take(bytes: number): boolean {
    this.used += bytes;
    return this.used <= this.size;
  }

  /** What to tell the peer now; 0 while there is no need. */
  update(): number {
    if (this.used * 2 < this.size) return 0;
    const bytes = this.used;
    this.used = 0;
    return bytes;
  }
}
