import type { Ticket } from '../endpoint-picker/endpoint-picker';
import type { Attributes } from '../ext-proc/processor';

/**
 * Tells the ledger who gave a response. `named`: the `ip:port` that the proxy names, which on a reply of its own is that
 * of the last endpoint tried. `status` undefined: it is not known. Returns the endpoint that gave the response, where one
 * did and is named.
 */
export function tellServed(
  ticket: Ticket | undefined,
  named: string | undefined,
  attributes: Attributes,
  status: number | undefined,
): string | undefined {
  // A proxy that does not tell details sends its upstream's.
  const details = attributes.get('response.code_details') ?? VIA_UPSTREAM;
  if (details === VIA_UPSTREAM) {
    const served = named || undefined;
    ticket?.served(served, Number(attributes.get('upstream.request_attempt_count')) || 1, status);
    return served;
  }
  if (!FAULTS_OF_ENDPOINTS.test(details)) ticket?.served(undefined);
  return undefined;
}

const VIA_UPSTREAM = 'via_upstream';

/**
 * Envoy's details of its own replies after an endpoint has failed. Others, such as `no_healthy_upstream` and
 * `cluster_not_found`, and a full circuit breaker, say nothing of one.
 */
const FAULTS_OF_ENDPOINTS = /^(upstream_(?!.*\{overflow)|response_timeout|stream_idle_timeout)/;
