import { DynamicTable } from './dynamic-table';
import { type HeaderField, STATIC_TABLE } from './hpack-static-table';
import { decodeHuffman } from './huffman';

/** Told of a block's headers one by one, in their order. Each octet of a name or value is one character (latin1). */
export interface HeaderSink {
  field(name: string, value: string): void;
}

/** Bytes of the dynamic table: HTTP/2's default, which a peer may use without being told. */
const TABLE_BYTES = 4096;

/** Continuation octets of an integer: 28 bits, far above any length or index that can be right. */
const INTEGER_OCTETS = 4;

/** Decodes the header blocks of one connection (RFC 7541), each whole and in the order of the wire. */
export class HpackDecoder {
  /** How often the dynamic table changed. A block that changes nothing means the same when it comes again. */
  changes = 0;

  private readonly table = new DynamicTable(TABLE_BYTES);
  private block: Buffer = Buffer.alloc(0);
  private at = 0;
  private failed = false;

  /** False when the block is malformed; nothing on the connection can be read after it. Never throws. */
  decode(block: Buffer, sink: HeaderSink): boolean {
    this.block = block;
    this.at = 0;
    let fields = 0;
    while (this.at < block.length && !this.failed) {
      const first = block[this.at]!;
      if (first >= 0x20 && first < 0x40) {
        // The table's size changes before the first field, or not at all.
        this.changes++;
        if (fields > 0 || !this.table.resize(this.integer(0x1f))) this.failed = true;
        continue;
      }
      const field = this.field(first);
      if (field === undefined || this.failed) break;
      fields++;
      sink.field(field[0], field[1]);
    }
    return !this.failed;
  }

  private field(first: number): HeaderField | undefined {
    if (first >= 0x80) return this.entry(this.integer(0x7f));
    const indexed = first >= 0x40;
    const index = this.integer(indexed ? 0x3f : 0x0f);
    const name = index === 0 ? this.string() : this.entry(index)?.[0];
    if (name === undefined) return undefined;
    const field: HeaderField = [name, this.string()];
    if (indexed && !this.failed) {
      this.changes++;
      this.table.insert(field);
    }
    return field;
  }

  private entry(index: number): HeaderField | undefined {
    const field =
      index <= STATIC_TABLE.length ? STATIC_TABLE[index - 1] : this.table.at(index - STATIC_TABLE.length - 1);
    if (field === undefined) this.failed = true;
    return field;
  }

  private string(): string {
    const huffman = (this.block[this.at] ?? 0) >= 0x80;
    const length = this.integer(0x7f);
    const start = this.at;
    this.at += length;
    if (this.failed || this.at > this.block.length) {
      this.failed = true;
      return '';
    }
    if (!huffman) return this.block.toString('latin1', start, this.at);
    const text = decodeHuffman(this.block, start, this.at);
    if (text === undefined) this.failed = true;
    return text ?? '';
  }

  /** An integer whose first bits are under `mask` in the octet at hand (RFC 7541, 5.1). */
  private integer(mask: number): number {
    const first = this.octet() & mask;
    if (first < mask) return first;
    let value = mask;
    let factor = 1;
    for (let count = 0; count < INTEGER_OCTETS; count++) {
      const next = this.octet();
      value += (next & 0x7f) * factor;
      if (next < 0x80) return value;
      factor *= 0x80;
    }
    this.failed = true;
    return 0;
  }

  private octet(): number {
    if (this.at < this.block.length) return this.block[this.at++]!;
    this.failed = true;
    return 0;
  }
}
