/** RFC 7541, appendix B: bits in the code of each octet. The codes follow from them, because the code is canonical. */
const CODE_LENGTHS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26,
];

const SHORTEST = 5;
const LONGEST = 30;

/** Octets in the order of their codes. */
const OCTETS = Uint8Array.from(
  CODE_LENGTHS.map((_, octet) => octet).sort((a, b) => CODE_LENGTHS[a]! - CODE_LENGTHS[b]! || a - b),
);
/** By length: the first code that is too high for it, with its bits at the top of 32. */
const LIMITS = new Uint32Array(LONGEST + 1);
/** By length: what is added to a code to give its place in `OCTETS`. */
const OFFSETS = new Int32Array(LONGEST + 1);

for (let length = SHORTEST, code = 0, place = 0; length <= LONGEST; length++, code *= 2) {
  OFFSETS[length] = place - code;
  const count = CODE_LENGTHS.filter((bits) => bits === length).length;
  code += count;
  place += count;
  LIMITS[length] = code * 2 ** (32 - length);
}

/** A Huffman-coded string; `undefined` when it is malformed. Each octet becomes one character (latin1). */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number): string | undefined {
  const text = Buffer.allocUnsafe(Math.floor(((end - start) * 8) / SHORTEST));
  let written = 0;
  let bit = start * 8;
  const lastBit = end * 8;
  while (bit < lastBit) {
    const window = windowAt(bytes, bit, end);
    const left = lastBit - bit;
    // What is left of the last octet is filled up with ones.
    if (left < 8 && window >>> (32 - left) === (1 << left) - 1) break;
    let length = SHORTEST;
    while (length <= LONGEST && window >= LIMITS[length]!) length++;
    if (length > LONGEST || length > left) return undefined;
    text[written++] = OCTETS[OFFSETS[length]! + (window >>> (32 - length))]!;
    bit += length;
  }
  return text.toString('latin1', 0, written);
}

/** The 32 bits from `bit` on; those past the end are ones. */
function windowAt(bytes: Uint8Array, bit: number, end: number): number {
  const at = bit >>> 3;
  const shift = bit & 7;
  const octet = (index: number) => (index < end ? bytes[index]! : 0xff);
  const high = (octet(at) << 24) | (octet(at + 1) << 16) | (octet(at + 2) << 8) | octet(at + 3);
  return ((high << shift) | (octet(at + 4) >>> (8 - shift))) >>> 0;
}
