import { createHash } from 'node:crypto';
import type { JsonObject } from './json';

/** The text of an xDS `DiscoveryResponse` for a watched file; its version is a digest of the resources. */
export function discoveryResponse(resources: readonly JsonObject[]): { version: string; content: string } {
  const version = createHash('sha256').update(JSON.stringify(resources)).digest('hex').slice(0, 16);
  return { version, content: JSON.stringify({ version_info: version, resources }) };
}
