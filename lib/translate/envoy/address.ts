import type { JsonObject } from './json';
import type { Address } from './options';

/** An `envoy.config.core.v3.Address`. */
export function envoyAddress(address: Address): JsonObject {
  return 'pipe' in address
    ? { pipe: { path: address.pipe } }
    : { socket_address: { address: address.host, port_value: address.port } };
}

/** Splits `ip:port`, or `[ip]:port` for IPv6. */
export function splitHostPort(text: string): { host: string; port: number } {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
}
