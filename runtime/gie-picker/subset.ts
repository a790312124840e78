import type { Metadata } from '../ext-proc/processor';

/** Dynamic metadata in which a proxy names the endpoints that a request may go to. */
export const SUBSET_NAMESPACE = 'envoy.lb.subset_hint';
const SUBSET_KEY = 'x-gateway-destination-endpoint-subset';

/**
 * The endpoints that a request may go to, each `ip:port`, or `ip` for any port there; undefined where the proxy names
 * none. A list, or a comma-separated text, which is what Envoy's header_to_metadata makes.
 */
export function subsetOf(metadata: Metadata): readonly string[] | undefined {
  const value = metadata.get(SUBSET_NAMESPACE)?.get(SUBSET_KEY);
  if (value === undefined) return undefined;
  const entries = typeof value === 'string' ? value.split(',') : value;
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
}
