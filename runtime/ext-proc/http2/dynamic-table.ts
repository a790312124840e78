import type { HeaderField } from './hpack-static-table';

/** What an entry counts beside its name and value (RFC 7541, 4.1). */
const ENTRY_BYTES = 32;

/** HPACK's dynamic table, of at most `limitBytes`. */
export class DynamicTable {
  /** The newest is the last. */
  private readonly entries: HeaderField[] = [];
  private bytes = 0;
  private capacity: number;

  constructor(private readonly limitBytes: number) {
    this.capacity = limitBytes;
  }

  /** `index` 0 is the newest entry. */
  at(index: number): HeaderField | undefined {
    return this.entries[this.entries.length - 1 - index];
  }

  /** False, and nothing done, where the peer wants more than the limit. */
  resize(bytes: number): boolean {
    if (bytes > this.limitBytes) return false;
    this.capacity = bytes;
    this.evict(0);
    return true;
  }

  /** An entry larger than the table leaves it empty. */
  insert(field: HeaderField): void {
    const bytes = sizeOf(field);
    this.evict(bytes);
    if (bytes > this.capacity) return;
    this.entries.push(field);
    this.bytes += bytes;
  }

  private evict(room: number): void {
    while (this.bytes + room > this.capacity) {
      const oldest = this.entries.shift();
      if (oldest === undefined) return;
      this.bytes -= sizeOf(oldest);
    }
  }
}

function sizeOf([name, value]: HeaderField): number {
  return name.length + value.length + ENTRY_BYTES;
}
