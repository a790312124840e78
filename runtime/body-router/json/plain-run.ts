/** 1 for bytes that stand for themselves in a JSON string: no quote, no backslash, no control character. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 0x20 || byte === 0x22 || byte === 0x5c ? 0 : 1));

/**
 * The offset of the first byte in `from`..`to` that ends a run of plain string bytes, or `to`.
 *
 * Looks at four bytes x at once: `(x - 0x01010101 * n) & ~x & 0x80808080` is non-zero exactly when a byte of x is below
 * n (n <= 128), its lowest bit lies in the first such byte, and a byte equals c when it is below 1 after an exclusive or
 * with c.
 */
export function plainRunEnd(bytes: Uint8Array, view: DataView, from: number, to: number): number {
  let at = from;
  for (const last = to - 4; at <= last; at += 4) {
    const x = view.getInt32(at, true);
    const quote = x ^ 0x22222222;
    const slash = x ^ 0x5c5c5c5c;
    const found =
      (((x - 0x20202020) & ~x) | ((quote - 0x01010101) & ~quote) | ((slash - 0x01010101) & ~slash)) & 0x80808080;
    if (found !== 0) return at + ((31 - Math.clz32(found & -found)) >> 3);
  }
  while (at < to && PLAIN[bytes[at]!] === 1) at++;
  return at;
}
