import type { Body } from '../ext-proc/processor';
import { runNow, SLICE_BYTES, type Sliced, type Turns } from './body/turns';
import type { BodyKind } from './destination';
import { jsonFacts } from './json/json-facts';
import { mediaType } from './multipart/content-type';
import { multipartFacts } from './multipart/multipart-facts';
import { type FactsResult, NO_FACTS } from './request-facts';

/** What clients call JSON: curl sends a form's type, browsers text, to save a preflight request. */
const JSON_TYPES: ReadonlySet<string> = new Set([
  '',
  'application/json',
  'text/json',
  'text/plain',
  'application/x-www-form-urlencoded',
]);

export interface BodyReader {
  readonly kind: BodyKind;
  /**
   * At once for a small body, in slices beside others for a large one; resolves to undefined where the facts are
   * `wanted` no more.
   */
  read(body: Body, turns: Turns, wanted: () => boolean): FactsResult | Promise<FactsResult | undefined>;
}

/** How a body of this content type is read. */
export function bodyReader(contentType: string | undefined): BodyReader {
  const type = mediaType(contentType);
  if (JSON_TYPES.has(type) || type.endsWith('+json')) return readable(jsonFacts);
  if (type === 'multipart/form-data') return readable((body) => multipartFacts(body, contentType!));
  return { kind: 'opaque', read: () => NO_FACTS };
}

function readable(facts: (body: Body) => Sliced<FactsResult>): BodyReader {
  return {
    kind: 'readable',
    read: (body, turns, wanted) => (body.length <= SLICE_BYTES ? runNow(facts(body)) : turns.run(facts(body), wanted)),
  };
}
