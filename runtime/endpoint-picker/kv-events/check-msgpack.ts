/** Thrown for bytes that are not what they should be. The message is ours and names no content. */
export class MalformedEvents extends Error {}

/** By a value's first byte: its length, where that is known by the first byte alone and nothing belongs to it. */
const FIXED_LENGTHS = fixedLengths();

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
    if (owed > end - at) throw cutOff();
    const first = bytes[at]!;
    const fixed = FIXED_LENGTHS[first]!;
    if (fixed === 0) {
      owed += itemsOf(view, at, first);
      at += lengthOf(view, at, first);
    } else at += fixed;
    owed -= 1;
  }
  if (at > end) throw cutOff();
}

function fixedLengths(): Uint8Array {
  const lengths = new Uint8Array(256);
  lengths.fill(1, 0x00, 0x80);
  for (let text = 0xa0; text < 0xc0; text++) lengths[text] = 1 + (text & 0x1f);
  // nil, false, true; floats, unsigned and signed integers; extensions of a fixed size.
  lengths.set([1, 0, 1, 1], 0xc0);
  lengths.set([5, 9, 2, 3, 5, 9, 2, 3, 5, 9, 3, 4, 6, 10, 18], 0xca);
  lengths.fill(1, 0xe0);
  return lengths;
}

/** Values that follow a header and belong to it. */
function itemsOf(view: DataView, at: number, first: number): number {
  if (first < 0x90) return 2 * (first & 0x0f);
  if (first < 0xa0) return first & 0x0f;
  switch (first) {
    case 0xdc:
      return read(view, at + 1, 2);
    case 0xdd:
      return read(view, at + 1, 4);
    case 0xde:
      return 2 * read(view, at + 1, 2);
    case 0xdf:
      return 2 * read(view, at + 1, 4);
    default:
      return 0;
  }
}

/** Bytes of a header, and of binary or text with its content. */
function lengthOf(view: DataView, at: number, first: number): number {
  if (first < 0xa0) return 1;
  switch (first) {
    case 0xc4:
    case 0xd9:
      return 2 + read(view, at + 1, 1);
    case 0xc5:
    case 0xda:
      return 3 + read(view, at + 1, 2);
    case 0xc6:
    case 0xdb:
      return 5 + read(view, at + 1, 4);
    case 0xdc:
    case 0xde:
      return 3;
    case 0xdd:
    case 0xdf:
      return 5;
    default:
      throw new MalformedEvents('the payload has a type that events have not');
  }
}

function read(view: DataView, at: number, bytes: 1 | 2 | 4): number {
  if (at + bytes > view.byteLength) throw cutOff();
  if (bytes === 1) return view.getUint8(at);
  return bytes === 2 ? view.getUint16(at) : view.getUint32(at);
}

function cutOff(): MalformedEvents {
  return new MalformedEvents('the payload is cut off');
}
