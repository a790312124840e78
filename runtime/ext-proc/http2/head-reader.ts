import { HpackDecoder } from './hpack-decoder';
import { RequestHead } from './request-head';

/** Larger blocks are not kept. */
const KEPT_BYTES = 512;

/**
 * Reads the header blocks of one connection. Envoy opens all its streams with the same few bytes: a block that equals
 * the one before, and neither of which changed the dynamic table, has the same head.
 */
export class HeadReader {
  private readonly hpack = new HpackDecoder();
  private block = Buffer.alloc(0);
  private head: RequestHead | undefined;
  /** Changes of the table when the block was kept. */
  private changes = 0;

  /** A request's head, which may be that of others too; `undefined` where the block is malformed. */
  request(block: Buffer): RequestHead | undefined {
    const { changes } = this.hpack;
    if (this.head !== undefined && this.changes === changes && this.block.equals(block)) return this.head;
    const head = new RequestHead(true);
    if (!this.hpack.decode(block, head)) return undefined;
    if (block.length <= KEPT_BYTES && this.hpack.changes === changes) {
      this.block = Buffer.from(block);
      this.head = head;
      this.changes = changes;
    }
    return head;
  }

  trailers(block: Buffer): RequestHead | undefined {
    const trailers = new RequestHead(false);
    return this.hpack.decode(block, trailers) ? trailers : undefined;
  }
}
