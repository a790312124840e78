/**
 * One of the windows in which the peer sends: `initial` bytes at first, `steady` from then on. Half of that may be used
 * before the peer is told to go on, so that small streams need no word at all.
 */
export class ReceiveWindow {
  /** What the peer may still send. */
  private open: number;

  constructor(
    initial: number,
    private readonly steady = initial,
  ) {
    this.open = initial;
  }

  /** False where the peer sends more than it may. */
  take(bytes: number): boolean {
    this.open -= bytes;
    return this.open >= 0;
  }

  /** What to tell the peer now; 0 while there is no need. */
  update(): number {
    if (this.open * 2 > this.steady) return 0;
    const bytes = this.steady - this.open;
    this.open = this.steady;
    return bytes;
  }
}
