import type { Body } from './processor';

/** The body in pieces of `maxBytes` but for the last, as views of its chunks; none for an empty body. */
export function bodyPieces(body: Body, maxBytes: number): Body[] {
  if (body.length === 0) return [];
  if (body.length <= maxBytes) return [body];
  const pieces: Body[] = [];
  let chunks: Buffer[] = [];
  let length = 0;
  for (const chunk of body.chunks) {
    for (let from = 0; from < chunk.length; ) {
      const to = Math.min(chunk.length, from + maxBytes - length);
      chunks.push(chunk.subarray(from, to));
      length += to - from;
      from = to;
      if (length < maxBytes) continue;
      pieces.push({ length, chunks });
      chunks = [];
      length = 0;
    }
  }
  if (length > 0) pieces.push({ length, chunks });
  return pieces;
}
