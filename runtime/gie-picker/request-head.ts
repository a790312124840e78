import { BASE_MODEL_NAME_HEADER, DESTINATION_ENDPOINT_HEADER } from '../../lib/translate/envoy/control-headers';
import { MODEL_NAME, sentControlHeaders } from '../body-router/control-headers';
import type { ContinueAnswer, HeaderMap } from '../ext-proc/processor';

/** A body that goes on: how many bytes, and whether they are others than came. */
export interface SentBody {
  readonly length: number;
  readonly changed: boolean;
  /** Its length need not be told: trailers follow, or the proxy keeps what it has. */
  readonly lengthless: boolean;
}

/**
 * By these the proxy has chosen the route that led here, and chooses it again once the route cache is cleared: they
 * stay, though a client may have sent them.
 */
const ROUTE_HEADERS: ReadonlySet<string> = new Set(
  [MODEL_NAME, BASE_MODEL_NAME_HEADER].flatMap((name) => [name, name.replace('x-gateway-', 'x-llm-d-')]),
);

/** The answer to a request's headers: where it goes, as header and as metadata, and what no model server is to see. */
export function requestHead(sent: HeaderMap, endpoints: readonly string[], body: SentBody): ContinueAnswer {
  const destination = endpoints.join(',');
  const set: Array<readonly [string, string]> = [[DESTINATION_ENDPOINT_HEADER, destination]];
  const remove = sentControlHeaders(sent, set).filter((name) => !ROUTE_HEADERS.has(name));
  if (body.length > 0 && (!body.lengthless || sent.has('content-length'))) {
    set.push(['content-length', String(body.length)]);
  }
  // The response must be readable, so that its model can be set back.
  if (body.changed && sent.has('accept-encoding')) remove.push('accept-encoding');
  return {
    kind: 'continue',
    setHeaders: set,
    removeHeaders: remove,
    clearRouteCache: true,
    lbMetadata: { [DESTINATION_ENDPOINT_HEADER]: destination },
  };
}
