import type { Body } from '../../ext-proc/processor';
import { SLICE_BYTES, type Sliced } from './turns';

/** Offset of the first `needle` at or after `from`, or -1. The needle may lie across chunks. */
export function* indexOf(body: Body, needle: Buffer, from: number): Sliced<number> {
  let offset = 0;
  let room = SLICE_BYTES;
  for (const [index, chunk] of body.chunks.entries()) {
    const end = offset + chunk.length;
    for (let at = Math.max(from, offset); at < end; ) {
      const to = Math.min(at + SLICE_BYTES, end);
      // The needle may begin at the last byte before `to`.
      const found = chunk.subarray(at - offset, to - offset + needle.length - 1).indexOf(needle);
      if (found >= 0) return at + found;
      room -= to - at;
      at = to;
      if (room <= 0) {
        yield;
        room = SLICE_BYTES;
      }
    }
    const seam = Math.max(from, offset, end - needle.length + 1);
    if (seam < end) {
      const found = across(body.chunks, index, seam - offset, needle.length).indexOf(needle);
      if (found >= 0) return seam + found;
    }
    offset = end;
  }
  return -1;
}

/** The end of one chunk, from `start`, with the beginning of the next: less than a needle of each. */
function across(chunks: readonly Buffer[], index: number, start: number, needleLength: number): Buffer {
  const parts = [chunks[index]!.subarray(start)];
  let wanted = needleLength - 1;
  for (let next = index + 1; next < chunks.length && wanted > 0; next++) {
    parts.push(chunks[next]!.subarray(0, wanted));
    wanted -= parts[parts.length - 1]!.length;
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}
