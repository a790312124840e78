import type { EndpointLoad } from './endpoint-load';
import { BATCH_TOKENS, between } from './prefill-backlog';

/** The line of prompts of an endpoint when a scrape left. */
export interface LineMark {
  /** Clock, milliseconds. */
  readonly at: number;
  /** Tokens appended until then. */
  readonly line: number;
}

/**
 * A scrape told that `pending` requests had no first token: the latest so many of those sent until it left, as engines
 * start requests in order. What is before them is computed; of them themselves, half of a batch is taken as computed, as
 * the page tells nothing of the step under way. `now`: clock, milliseconds.
 */
export function correctBacklog(
  load: EndpointLoad,
  pending: number,
  mark: LineMark,
  tokenSeconds: number,
  now: number,
): void {
  let done = mark.line;
  let entry = load.newest;
  while (entry !== undefined && entry.sentAt > mark.at) entry = entry.older;
  for (let left = pending; entry !== undefined && left > 0; left--) {
    done = entry.place - entry.uncachedTokens;
    entry = entry.older;
  }
  const underWay = Math.min(BATCH_TOKENS, mark.line - done) / 2;
  const since = Math.max(0, now - mark.at) / 1000 / tokenSeconds;
  between(load.backlog, done, done + underWay + since, tokenSeconds, now);
}
