import { type HeaderField, STATIC_TABLE } from './hpack-static-table';

/**
 * Encodes headers without the dynamic table and without Huffman, so that a block can be made once and sent on any
 * connection. Names are in lower case; names and values are printable ASCII.
 */
export function encodeHeaderBlock(fields: readonly HeaderField[]): Buffer {
  return Buffer.concat(fields.map(encodeField));
}

function encodeField([name, value]: HeaderField): Buffer {
  const index = STATIC_TABLE.findIndex((entry) => entry[0] === name && entry[1] === value);
  if (index >= 0) return Buffer.from([0x80 + index + 1]);
  return Buffer.concat([Buffer.from([0]), encodeString(name), encodeString(value)]);
}

function encodeString(text: string): Buffer {
  return Buffer.concat([Buffer.from(encodeLength(text.length)), Buffer.from(text, 'latin1')]);
}

/** An integer with seven bits in its first octet (RFC 7541, 5.1). */
function encodeLength(length: number): number[] {
  if (length < 0x7f) return [length];
  const octets = [0x7f];
  let rest = length - 0x7f;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) octets.push((rest % 0x80) + 0x80);
  octets.push(rest);
  return octets;
}
