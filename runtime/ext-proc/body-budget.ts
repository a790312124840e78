/**
 * How many bytes of bodies may lie in this process at once, over all streams. Whoever reserves, releases the same
 * number once.
 */
export class BodyBudget {
  private taken = 0;

  /** `limitBytes`: the most that is handed out at any time. */
  constructor(private readonly limitBytes: number) {}

  get usedBytes(): number {
    return this.taken;
  }

  /** False, and nothing taken, where `bytes` do not fit. */
  reserve(bytes: number): boolean {
    if (this.taken + bytes > this.limitBytes) return false;
    this.taken += bytes;
    return true;
  }

  release(bytes: number): void {
    this.taken -= bytes;
  }
}
