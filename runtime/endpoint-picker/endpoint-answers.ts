import type { LedgerEntry } from './ledger/endpoint-load';
import { learnWork, promptTokenSeconds } from './ledger/learned-speed';
import { ended, firstTokenSeen } from './ledger/prefill-backlog';
import { endpointChanged, metricsOf, type PooledEndpoint } from './pooled-endpoint';

/** A step that is under way and the front end's order blur what was ahead of a first token. */
const FIRST_TOKEN_CERTAINTY = 0.3;

/** An end does not tell how long the answer was, and those of answers differ by about their mean. */
const END_CERTAINTY = 0.1;

/** The first token of a request that is in flight there was seen. */
export function firstTokenCame(endpoint: PooledEndpoint, entry: LedgerEntry, now: number): void {
  firstTokenSeen(endpoint.load.backlog, entry.place, promptTokenSeconds(endpoint.speed), now);
  if (!tellsSteps(endpoint)) {
    const seconds = (now - entry.sentAt) / 1000;
    const generatedTokens = endpoint.load.requests;
    const promptTokens = entry.tokensAhead;
    const certainty = FIRST_TOKEN_CERTAINTY;
    learnWork(endpoint.speed, { seconds, steps: 1, generatedTokens, promptTokens, starts: 1, certainty }, now);
  }
  endpointChanged(endpoint);
}

/** A request that was in flight there has ended; `answered`: with success, as far as is known. */
export function requestEnded(endpoint: PooledEndpoint, entry: LedgerEntry, answered: boolean, now: number): void {
  const { backlog } = endpoint.load;
  const tokenSeconds = promptTokenSeconds(endpoint.speed);
  if (answered) {
    ended(backlog, entry.place, tokenSeconds, now);
    if (!tellsSteps(endpoint)) {
      const steps = entry.outputTokens;
      const work = {
        seconds: (now - entry.sentAt) / 1000,
        steps,
        generatedTokens: steps * (endpoint.load.requests + 1),
        promptTokens: entry.tokensAhead,
        starts: 1,
        certainty: END_CERTAINTY,
      };
      learnWork(endpoint.speed, work, now);
    }
  } else {
    // Its prompt is not computed any more.
    ended(backlog, Math.min(backlog.sent, backlog.done + entry.uncachedTokens), tokenSeconds, now);
  }
  endpointChanged(endpoint);
}

/** The engine's own counters tell what it did; else first tokens and ends must. */
function tellsSteps(endpoint: PooledEndpoint): boolean {
  return !Number.isNaN(metricsOf(endpoint).counters.steps);
}
