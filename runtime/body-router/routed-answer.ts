import {
  BASE_MODEL_NAME_HEADER,
  DEFAULT_BACKEND_HEADER,
  DESTINATION_ENDPOINT_HEADER,
} from '../../lib/translate/envoy/control-headers';
import type { Body, ContinueAnswer, HeaderMap } from '../ext-proc/processor';
import { isHeaderSafe, MODEL_NAME, sentControlHeaders } from './control-headers';
import type { Route } from './models/route';

/**
 * Sends the request to the endpoints, or without any to the pool, where Envoy balances; with `body` in place of its own
 * where a rewrite changed it.
 */
export function routedAnswer(
  sent: HeaderMap,
  route: Route,
  endpoints: readonly string[],
  body: Body | undefined,
): ContinueAnswer {
  const destination = endpoints.join(',');
  const set: Array<readonly [string, string]> = destination === '' ? [] : [[DESTINATION_ENDPOINT_HEADER, destination]];
  if (isHeaderSafe(route.model)) set.push([MODEL_NAME, route.model]);
  const base = route.baseModel ?? route.model;
  if (isHeaderSafe(base)) set.push([BASE_MODEL_NAME_HEADER, base]);
  const remove = sentControlHeaders(sent, set);
  if (body !== undefined) {
    set.push(['content-length', String(body.length)]);
    // The response must be readable, so that its model can be set back.
    if (sent.has('accept-encoding')) remove.push('accept-encoding');
  }
  return {
    kind: 'continue',
    setHeaders: set,
    removeHeaders: remove,
    ...(body !== undefined && { body }),
    clearRouteCache: true,
    ...(destination !== '' && { lbMetadata: { [DESTINATION_ENDPOINT_HEADER]: destination } }),
  };
}

/** Sends the request to the default backend, unchanged. */
export function defaultBackendAnswer(sent: HeaderMap): ContinueAnswer {
  const set = [[DEFAULT_BACKEND_HEADER, 'true']] as const;
  return { kind: 'continue', setHeaders: set, removeHeaders: sentControlHeaders(sent, set), clearRouteCache: true };
}
