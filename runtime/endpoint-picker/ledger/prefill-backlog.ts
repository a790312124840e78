/**
 * The prompts that an endpoint has still to compute, as one line: each request's uncached tokens are appended when it is
 * sent, and the engine works along it at its learned speed. What is observed corrects how far it has come: a first
 * token, the number of requests that wait, an end.
 */
export interface PrefillBacklog {
  /** Tokens appended, ever: the end of the line. */
  sent: number;
  /** Up to where the engine is thought to have come, at `at`. */
  done: number;
  /** Clock, milliseconds. */
  at: number;
}

/** The engine computes this many tokens at once at most: requests of one batch get their first tokens together. */
export const BATCH_TOKENS = 8192;

export function createPrefillBacklog(): PrefillBacklog {
  return { sent: 0, done: 0, at: 0 };
}

/** Appends a request and returns its place: the line's end after it. `tokenSeconds`: of one prompt token. */
export function append(backlog: PrefillBacklog, tokens: number, tokenSeconds: number, now: number): number {
  advance(backlog, tokenSeconds, now);
  backlog.sent += tokens;
  return backlog.sent;
}

/** The clock, milliseconds, at which what was sent is done, if nothing else is sent. */
export function doneAt(backlog: PrefillBacklog, tokenSeconds: number): number {
  return backlog.at + (backlog.sent - backlog.done) * tokenSeconds * 1000;
}

/** The request at `place` has its first token, just now. */
export function firstTokenSeen(backlog: PrefillBacklog, place: number, tokenSeconds: number, now: number): void {
  between(backlog, place, place + BATCH_TOKENS, tokenSeconds, now);
}

/** The request at `place` has ended: it was computed long ago, or never will be. */
export function ended(backlog: PrefillBacklog, place: number, tokenSeconds: number, now: number): void {
  between(backlog, place, Number.POSITIVE_INFINITY, tokenSeconds, now);
}

/** The engine has come at least to `from`, and at most to `to`. */
export function between(backlog: PrefillBacklog, from: number, to: number, tokenSeconds: number, now: number): void {
  advance(backlog, tokenSeconds, now);
  backlog.done = Math.min(backlog.sent, Math.max(from, Math.min(backlog.done, to)));
}

function advance(backlog: PrefillBacklog, tokenSeconds: number, now: number): void {
  const elapsed = Math.max(0, now - backlog.at) / 1000;
  backlog.at = Math.max(backlog.at, now);
  backlog.done = tokenSeconds > 0 ? Math.min(backlog.sent, backlog.done + elapsed / tokenSeconds) : backlog.sent;
}
