import type { Body } from '../../ext-proc/processor';
import { append, bodyOf, type Span, sliceBody } from './span';

/**
 * The body with each of `spans` replaced by `replacement`; every other byte is the same, and none is copied.
 * `spans` are in ascending order and do not overlap.
 */
export function spliceBody(body: Body, spans: readonly Span[], replacement: Buffer): Body {
  const chunks: Buffer[] = [];
  let from = 0;
  for (const span of spans) {
    append(chunks, sliceBody(body, { start: from, end: span.start }).chunks);
    chunks.push(replacement);
    from = span.end;
  }
  append(chunks, sliceBody(body, { start: from, end: body.length }).chunks);
  return bodyOf(chunks);
}
