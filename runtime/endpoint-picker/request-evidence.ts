import { answerBegan, requestFailed, requestSucceeded } from './health/evidence';
import { endpointChanged, type PooledEndpoint } from './pooled-endpoint';

/** What one request tells of the health of the endpoints that it was sent to. */
export interface RequestEvidence {
  /** In the order of the pick: Envoy tries them in it. */
  readonly order: readonly PooledEndpoint[];
  /** Clock, milliseconds. */
  readonly pickedAt: number;
  /** What answered: an endpoint, of the pool or not, or somebody who is not named. */
  answered: 'not-yet' | 'by-endpoint' | 'by-unnamed';
}

/**
 * Response headers came from `server`, undefined where it is not of the pool, on connection attempt number `attempts`:
 * those before it in the order failed. Where the number does not fit the order, as when Envoy does not know an endpoint
 * yet, nobody is blamed. `status` undefined: it is not known.
 */
export function responseCame(
  evidence: RequestEvidence,
  server: PooledEndpoint | undefined,
  attempts: number,
  status: number | undefined,
  now: number,
): void {
  const { order, pickedAt } = evidence;
  evidence.answered = 'by-endpoint';
  const place = server === undefined ? -1 : order.indexOf(server);
  const failed = place < 0 && attempts > order.length ? order.length : place === attempts - 1 ? place : 0;
  for (const endpoint of order.slice(0, failed)) {
    requestFailed(endpoint, 'connection', pickedAt, now);
    endpointChanged(endpoint);
  }
  if (server === undefined) return;
  answerBegan(server, pickedAt, now, status !== undefined && status < 400);
  endpointChanged(server);
}

/** Statuses of a server that refuses or is busy: they say nothing against it. */
const REFUSALS: ReadonlySet<number> = new Set([501, 503]);

/**
 * The request is over, at `server`. A 502, 503 or 504 without a response of an endpoint is Envoy's own, after the first
 * endpoint failed. `status` undefined: the client went away, which says nothing.
 */
export function requestOver(
  { order, pickedAt, answered }: RequestEvidence,
  server: PooledEndpoint | undefined,
  status: number | undefined,
  now: number,
): void {
  if (status === undefined) return;
  const endpoint = answered === 'by-endpoint' ? server : order[0];
  if (endpoint === undefined) return;
  if (answered === 'not-yet') {
    if (status === 504) requestFailed(endpoint, 'no-answer', pickedAt, now);
    else if (status === 502 || status === 503) requestFailed(endpoint, 'connection', pickedAt, now);
  } else if (status < 400) {
    // Most likely the first has served it where nobody is named: good enough for good news, and for nothing else.
    requestSucceeded(endpoint, pickedAt, now);
  } else if (answered === 'by-endpoint' && status >= 500 && !REFUSALS.has(status)) {
    requestFailed(endpoint, 'errors', pickedAt, now);
  } else return;
  endpointChanged(endpoint);
}
