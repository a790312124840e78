/** Thrown for bytes that are not what they should be. The message is ours and names no content. */
export class MalformedEvents extends Error {}

/**
 * Throws where the first value in `bytes` is not whole. A decoder makes room for as many items as an array says that
 * it has, so that a few nested headers, each promising millions, take all memory; here every promise is held against
 * the bytes that are left.
 */
export function checkMsgpack(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.byteLength;
  let at = 0;
  let owed = 1;
  while (owed > 0) {
    if (owed > end - at) throw new MalformedEvents('the payload is cut off');
    const { length, items } = header(view, at);
    at += length;
    owed += items - 1;
  }
  if (at > end) throw new MalformedEvents('the payload is cut off');
}

interface Header {
  /** Bytes of the value without its items. */
  readonly length: number;
  /** Values that follow and belong to it. */
  readonly items: number;
}

/** By the first byte: the bytes of the value, or of the field that says how many follow it. */
const FIXED: ReadonlyMap<number, number> = new Map([
  [0xc0, 1],
  [0xc2, 1],
  [0xc3, 1],
  [0xca, 5],
  [0xcb, 9],
  [0xcc, 2],
  [0xcd, 3],
  [0xce, 5],
  [0xcf, 9],
  [0xd0, 2],
  [0xd1, 3],
  [0xd2, 5],
  [0xd3, 9],
  [0xd4, 3],
  [0xd5, 4],
  [0xd6, 6],
  [0xd7, 10],
  [0xd8, 18],
]);

function header(view: DataView, at: number): Header {
  const first = view.getUint8(at);
  if (first < 0x80 || first >= 0xe0) return { length: 1, items: 0 };
  if (first < 0x90) return { length: 1, items: 2 * (first & 0x0f) };
  if (first < 0xa0) return { length: 1, items: first & 0x0f };
  if (first < 0xc0) return { length: 1 + (first & 0x1f), items: 0 };
  const fixed = FIXED.get(first);
  if (fixed !== undefined) return { length: fixed, items: 0 };
  switch (first) {
    case 0xc4:
    case 0xd9:
      return { length: 2 + read(view, at + 1, 1), items: 0 };
    case 0xc5:
    case 0xda:
      return { length: 3 + read(view, at + 1, 2), items: 0 };
    case 0xc6:
    case 0xdb:
      return { length: 5 + read(view, at + 1, 4), items: 0 };
    case 0xdc:
      return { length: 3, items: read(view, at + 1, 2) };
    case 0xdd:
      return { length: 5, items: read(view, at + 1, 4) };
    case 0xde:
      return { length: 3, items: 2 * read(view, at + 1, 2) };
    case 0xdf:
      return { length: 5, items: 2 * read(view, at + 1, 4) };
    default:
      throw new MalformedEvents('the payload has a type that events have not');
  }
}

function read(view: DataView, at: number, bytes: 1 | 2 | 4): number {
  if (at + bytes > view.byteLength) throw new MalformedEvents('the payload is cut off');
  if (bytes === 1) return view.getUint8(at);
  return bytes === 2 ? view.getUint16(at) : view.getUint32(at);
}
