import type { Body } from '../../ext-proc/processor';

/** Bytes `start` (inclusive) to `end` (exclusive) of a body, counted over all its chunks. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const EMPTY_BODY: Body = { length: 0, chunks: [] };

export function bodyOf(chunks: readonly Buffer[]): Body {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  return { length, chunks };
}

/** The bytes of `span` as views of the body's chunks; nothing is copied. */
export function sliceBody(body: Body, span: Span): Body {
  const chunks: Buffer[] = [];
  let offset = 0;
  for (const chunk of body.chunks) {
    if (offset >= span.end) break;
    const from = Math.max(span.start - offset, 0);
    const to = Math.min(span.end - offset, chunk.length);
    if (from < to) chunks.push(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to));
    offset += chunk.length;
  }
  return bodyOf(chunks);
}

/** The bytes of `span` in one buffer: a view where one chunk holds them all, else a copy. For short spans. */
export function spanBytes(body: Body, span: Span): Buffer {
  const { chunks } = sliceBody(body, span);
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** Adds chunks one by one: a large body has more of them than a call may have arguments. */
export function append(chunks: Buffer[], more: readonly Buffer[]): void {
  for (const chunk of more) chunks.push(chunk);
}
