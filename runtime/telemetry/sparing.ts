const EVERY_MS = 60_000;
const MAX_TEXTS = 64;

/**
 * Lets a text through to `tell` at most once in `everyMs` (default 60000), for what a stranger can bring about as often as
 * it likes. Of more than 64 texts at one time none is new.
 */
export function sparing(tell: (text: string) => void, clock: () => number, everyMs = EVERY_MS): (text: string) => void {
  const toldAt = new Map<string, number>();
  return (text) => {
    const now = clock();
    for (const [old, at] of toldAt) if (now - at >= everyMs) toldAt.delete(old);
    if (toldAt.has(text) || toldAt.size >= MAX_TEXTS) return;
    toldAt.set(text, now);
    tell(text);
  };
}
