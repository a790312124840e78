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
 * A scrape told that `pending` requests had no first token: the last so many in line of those sent until it left, as
 * engines start requests in order. What is before them is computed. The first of them may be nearly so, or half of a
 * batch, as the page tells nothing of the step under way. `now`: clock, milliseconds. Returns the tokens of the pending.
 */
export function correctBacklog(
  load: EndpointLoad,
  pending: number,
  mark: LineMark,
  tokenSeconds: number,
  now: number,
): number {
  let done = mark.line;
  let atMost = mark.line;
  let left = pending;
  for (let entry = load.newest; entry !== undefined && left > 0; entry = entry.older) {
    if (entry.sentAt > mark.at) continue;
    atMost = entry.place;
    done = entry.place - entry.uncachedTokens;
    left -= 1;
  }
  const underWay = Math.min(BATCH_TOKENS, mark.line - done) / 2;
  const since = Math.max(0, now - mark.at) / 1000 / tokenSeconds;
  between(load.backlog, done, Math.max(atMost, done + underWay) + since, tokenSeconds, now);
  return mark.line - done;
}
