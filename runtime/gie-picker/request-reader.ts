import type { Turns } from '../body-router/body/turns';
import { bodyReader } from '../body-router/body-reader';
import { mediaType } from '../body-router/multipart/content-type';
import { type FactsResult, NO_FACTS } from '../body-router/request-facts';
import type { Body, HeaderMap } from '../ext-proc/processor';

/** Content types that promise JSON. None at all is taken as one: it is what most clients that leave it out send. */
const JSON_TYPES: ReadonlySet<string> = new Set(['', 'application/json', 'text/json']);

/** Where the body should name a model, so that one that cannot be read is refused, not passed on. */
export function promisesModel(headers: HeaderMap): boolean {
  const type = mediaType(headers.get('content-type'));
  return mayName(headers) && (JSON_TYPES.has(type) || type.endsWith('+json'));
}

/**
 * What the body tells; nothing where it is of a type that is not read, or belongs to a GET. Undefined where the facts
 * are `wanted` no more.
 */
export function readRequest(
  headers: HeaderMap,
  body: Body,
  turns: Turns,
  wanted: () => boolean,
): FactsResult | Promise<FactsResult | undefined> {
  return mayName(headers) ? bodyReader(headers.get('content-type')).read(body, turns, wanted) : NO_FACTS;
}

function mayName(headers: HeaderMap): boolean {
  const method = headers.get(':method');
  return method !== 'GET' && method !== 'HEAD';
}
