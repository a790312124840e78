import type { HeaderMap } from '../../ext-proc/processor';
import { mediaType } from '../multipart/content-type';
import { JsonRestorer } from './json-restorer';
import { SseRestorer } from './sse-restorer';

/** Sets the `model` of a response that comes in chunks back to the name that the client asked for. */
export interface ModelRestorer {
  /** What to send in place of `chunk`; bytes may be held back until a later call, none after `endOfStream`. */
  push(chunk: Buffer, endOfStream: boolean): readonly Buffer[];
}

/**
 * The restorer for a response, by its headers. Undefined where the response holds no model that can be set back: an
 * error, which names what the model server was asked for; another content type; a compressed body.
 */
export function restorerFor(headers: HeaderMap, model: string): ModelRestorer | undefined {
  if (!/^2\d\d$/.test(headers.get(':status') ?? '')) return undefined;
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') return undefined;
  const type = mediaType(headers.get('content-type'));
  if (type === 'text/event-stream') return new SseRestorer(model);
  return type === 'application/json' ? new JsonRestorer(model) : undefined;
}
