import { ProtocolFault } from './protocol-fault';

/** Reads the fields of one message in their order. Every method throws `ProtocolFault` for a field of another kind. */
export class Fields {
  private at = 0;

  constructor(private readonly values: readonly unknown[]) {}

  /** A string of at most `maxLength` characters. */
  text(maxLength: number): string {
    const value = this.next();
    if (typeof value !== 'string' || value.length > maxLength) throw wrong('a text');
    return value;
  }

  /** An integer from 0 to 2^53 - 1. */
  count(): number {
    const value = this.next();
    if (!isCount(value)) throw wrong('a count');
    return value;
  }

  /** Any safe integer. */
  integer(): number {
    const value = this.next();
    if (!Number.isSafeInteger(value)) throw wrong('an integer');
    return value as number;
  }

  /** Any finite number. */
  number(): number {
    const value = this.next();
    if (!Number.isFinite(value)) throw wrong('a number');
    return value as number;
  }

  flag(): boolean {
    const value = this.next();
    if (typeof value !== 'boolean') throw wrong('a flag');
    return value;
  }

  bytes(): Uint8Array {
    const value = this.next();
    if (!(value instanceof Uint8Array)) throw wrong('bytes');
    return value;
  }

  /** A list of at most `maxItems`. */
  list<T>(maxItems: number, item: (fields: Fields) => T): T[] {
    const value = this.next();
    if (!Array.isArray(value) || value.length > maxItems) throw wrong('a list');
    const items = new Fields(value);
    return value.map(() => item(items));
  }

  /** Fields of their own within one field. */
  group(): Fields {
    const value = this.next();
    if (!Array.isArray(value)) throw wrong('a group');
    return new Fields(value);
  }

  /** What `read` reads, or undefined where the field is nil or missing. */
  optional<T>(read: (fields: Fields) => T): T | undefined {
    if ((this.values[this.at] ?? undefined) !== undefined) return read(this);
    this.at += 1;
    return undefined;
  }

  private next(): unknown {
    return this.values[this.at++];
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function wrong(what: string): ProtocolFault {
  return new ProtocolFault(`a message has something else where ${what} belongs`);
}
