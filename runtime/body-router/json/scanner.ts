import type { JsonFault } from './json-fault';
import { plainRunEnd } from './plain-run';

export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';

/** One member of the outermost object whose key was asked for. */
export interface Member {
  readonly key: string;
  readonly kind: JsonKind;
  /** The value's bytes, without the white space around it: `start` inclusive, `end` exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Objects and arrays inside each other; more is a fault. Parsers of model servers recurse, so deep input is an attack. */
export const MAX_DEPTH = 1000;
/** Members found in one body. Each key stands once in an honest one; the bound is for memory. */
export const MAX_MEMBERS = 64;
/** Longest key that is looked up, as it stands in the body: 21 characters, each written as `\u0000`. */
const MAX_KEY_BYTES = 126;

// What the next byte may be.
const VALUE = 0;
const VALUE_OR_CLOSE = 1;
const KEY_OR_CLOSE = 2;
const KEY = 3;
const COLON = 4;
const COMMA_OR_CLOSE = 5;
const END = 6;
const IN_STRING = 7;
const IN_ESCAPE = 8;
const IN_HEX = 9;
const IN_LITERAL = 10;
// From here on: inside a number. Those at or above INTEGER may end there.
const MINUS = 11;
const POINT = 12;
const EXPONENT = 13;
const EXPONENT_SIGN = 14;
const INTEGER = 15;
const ZERO = 16;
const FRACTION = 17;
const EXPONENT_DIGITS = 18;

/** 1 for what may follow a backslash, other than u. */
const IS_ESCAPE = Uint8Array.from({ length: 256 }, (_, byte) =>
  '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? 1 : 0,
);

const OBJECT = 1;
const ARRAY = 2;
const LITERALS: Readonly<Record<number, { text: string; kind: JsonKind }>> = {
  116: { text: 'true', kind: 'boolean' },
  102: { text: 'false', kind: 'boolean' },
  110: { text: 'null', kind: 'null' },
};

/**
 * Reads JSON in one pass, in pieces of any size, and accepts what `JSON.parse` accepts, byte for byte (UTF-8 itself is
 * `Utf8Check`'s). Notes where the values of the asked-for members of the outermost object lie; builds nothing else, so
 * that a number of any size and the spelling of a string are left as they are.
 */
export class JsonScanner {
  /** In the order of the body. */
  readonly members: Member[] = [];
  /** Known after the first byte that is not white space. */
  root: JsonKind | undefined;
  private state = VALUE;
  /** The containers that are open, outermost first. */
  private readonly open: number[] = [];
  private offset = 0;
  private inKey = false;
  /** Hexadecimal digits of an escape, or characters of a literal, that have been seen. */
  private seen = 0;
  private literal = '';
  /** Key at depth 1: where it begins in the piece at hand, and what earlier pieces held of it. */
  private keyFrom = 0;
  private keyCarried = '';
  private key: string | undefined;
  private kind: JsonKind = 'null';
  private start = 0;
  private failure: JsonFault | undefined;

  /** `keys`: the members to note, in ASCII, at most 21 characters each. */
  constructor(private readonly keys: ReadonlySet<string>) {}

  /** Reads the next piece. After a fault every further call returns it again. */
  push(bytes: Buffer): JsonFault | undefined {
    if (this.failure !== undefined) return this.failure;
    const length = bytes.length;
    const view = new DataView(bytes.buffer, bytes.byteOffset, length);
    let at = 0;
    while (at < length) {
      if (this.state === IN_STRING) {
        at = plainRunEnd(bytes, view, at, length);
        while (at + 1 < length && bytes[at] === 0x5c && IS_ESCAPE[bytes[at + 1]!] === 1) {
          at = plainRunEnd(bytes, view, at + 2, length);
        }
        if (at === length) break;
        const byte = bytes[at]!;
        if (byte === 0x22) this.endString(bytes, at);
        else if (byte === 0x5c) this.state = IN_ESCAPE;
        else return this.fail(at, 'a control character in a string must be escaped');
        at++;
        continue;
      }
      const byte = bytes[at]!;
      if (this.state >= MINUS) {
        const next = numberState(this.state, byte);
        if (next >= 0) {
          this.state = next;
          at++;
          continue;
        }
        if (this.state < INTEGER) return this.unexpected(at, byte);
        this.endValue(at);
        if (this.failure !== undefined) return this.failure;
      }
      if (this.state < IN_STRING && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)) {
        at++;
        continue;
      }
      if (!this.step(byte, at)) return this.failure ?? this.unexpected(at, byte);
      at++;
    }
    if (this.inKey && this.open.length === 1) this.carryKey(bytes);
    this.offset += length;
    return this.failure;
  }

  /** To be called after the last piece. */
  end(): JsonFault | undefined {
    if (this.failure !== undefined) return this.failure;
    if (this.open.length === 0 && this.state >= INTEGER) this.state = END;
    return this.state === END ? undefined : this.fail(0, 'the text ends too early');
  }

  /** Takes one byte outside strings' plain runs and numbers; false when it may not stand here. */
  private step(byte: number, at: number): boolean {
    switch (this.state) {
      case VALUE_OR_CLOSE:
        if (byte === 0x5d) return this.close(ARRAY, at);
        return this.beginValue(byte, at);
      case VALUE:
        return this.beginValue(byte, at);
      case KEY_OR_CLOSE:
        if (byte === 0x7d) return this.close(OBJECT, at);
        return this.beginKey(byte, at);
      case KEY:
        return this.beginKey(byte, at);
      case COLON:
        this.state = VALUE;
        return byte === 0x3a;
      case COMMA_OR_CLOSE:
        if (byte === 0x2c) {
          this.state = this.open[this.open.length - 1] === OBJECT ? KEY : VALUE;
          return true;
        }
        return byte === 0x7d ? this.close(OBJECT, at) : byte === 0x5d && this.close(ARRAY, at);
      case IN_ESCAPE:
        this.seen = 0;
        this.state = byte === 0x75 ? IN_HEX : IN_STRING;
        return byte === 0x75 || IS_ESCAPE[byte] === 1;
      case IN_HEX:
        if (++this.seen === 4) this.state = IN_STRING;
        return isHex(byte);
      case IN_LITERAL:
        if (this.literal.charCodeAt(this.seen++) !== byte) return false;
        if (this.seen === this.literal.length) this.endValue(at + 1);
        return true;
      default:
        return false;
    }
  }

  private beginValue(byte: number, at: number): boolean {
    if (byte === 0x22) {
      this.state = IN_STRING;
      this.inKey = false;
      this.note('string', at);
      return true;
    }
    if (byte === 0x7b) return this.openContainer(OBJECT, at);
    if (byte === 0x5b) return this.openContainer(ARRAY, at);
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      this.state = byte === 0x2d ? MINUS : byte === 0x30 ? ZERO : INTEGER;
      this.note('number', at);
      return true;
    }
    const literal = LITERALS[byte];
    if (literal === undefined) return false;
    this.state = IN_LITERAL;
    this.literal = literal.text;
    this.seen = 1;
    this.note(literal.kind, at);
    return true;
  }

  /** Remembers the value that begins here, where it is the root or a member of the root. */
  private note(kind: JsonKind, at: number): void {
    const depth = this.open.length;
    if (depth > 1) return;
    this.kind = kind;
    this.start = this.offset + at;
    if (depth === 0) this.root = kind;
  }

  private openContainer(container: number, at: number): boolean {
    if (this.open.length === MAX_DEPTH) {
      this.failure = {
        kind: 'depth',
        offset: this.offset + at,
        message: `objects and arrays lie more than ${MAX_DEPTH} deep`,
      };
      return false;
    }
    this.note(container === OBJECT ? 'object' : 'array', at);
    this.open.push(container);
    this.state = container === OBJECT ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
    return true;
  }

  private close(container: number, at: number): boolean {
    if (this.open[this.open.length - 1] !== container) return false;
    this.open.pop();
    this.endValue(at + 1);
    return this.failure === undefined;
  }

  private beginKey(byte: number, at: number): boolean {
    this.state = IN_STRING;
    this.inKey = true;
    this.keyFrom = at + 1;
    this.keyCarried = '';
    return byte === 0x22;
  }

  private endString(bytes: Buffer, at: number): void {
    if (!this.inKey) {
      this.endValue(at + 1);
      return;
    }
    this.inKey = false;
    this.state = COLON;
    if (this.open.length !== 1) return;
    this.key = undefined;
    if (this.keyCarried.length + at - this.keyFrom > MAX_KEY_BYTES) return;
    const raw = this.keyCarried + bytes.toString('latin1', this.keyFrom, at);
    const key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
    if (this.keys.has(key)) this.key = key;
  }

  private carryKey(bytes: Buffer): void {
    // One character above the bound is kept, so that the sum shows that the key is too long.
    const room = MAX_KEY_BYTES + 1 - this.keyCarried.length;
    this.keyCarried += bytes.toString('latin1', this.keyFrom, Math.min(bytes.length, this.keyFrom + room));
    this.keyFrom = 0;
  }

  private endValue(end: number): void {
    const depth = this.open.length;
    this.state = depth === 0 ? END : COMMA_OR_CLOSE;
    if (depth !== 1 || this.key === undefined) return;
    if (this.members.length === MAX_MEMBERS) {
      this.failure = { kind: 'repetition', offset: this.start, message: 'keys are repeated too often' };
      return;
    }
    this.members.push({ key: this.key, kind: this.kind, start: this.start, end: this.offset + end });
    this.key = undefined;
  }

  private unexpected(at: number, byte: number): JsonFault {
    const shown = byte > 0x20 && byte < 0x7f ? `character ${String.fromCharCode(byte)}` : `byte 0x${byte.toString(16)}`;
    const first = this.offset + at === 0 && byte === 0xef ? ' (remove the byte order mark)' : '';
    return this.fail(at, `unexpected ${shown}${first}`);
  }

  private fail(at: number, message: string): JsonFault {
    this.failure = { kind: 'syntax', offset: this.offset + at, message };
    return this.failure;
  }
}

/** The state after `byte` inside a number, or -1 when the byte is not part of it. */
function numberState(state: number, byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) {
    if (state >= INTEGER) return state === ZERO ? -1 : state;
    if (state === MINUS) return byte === 0x30 ? ZERO : INTEGER;
    return state === POINT ? FRACTION : EXPONENT_DIGITS;
  }
  if (byte === 0x2e) return state === INTEGER || state === ZERO ? POINT : -1;
  if (byte === 0x65 || byte === 0x45) return state >= INTEGER && state !== EXPONENT_DIGITS ? EXPONENT : -1;
  if (byte === 0x2b || byte === 0x2d) return state === EXPONENT ? EXPONENT_SIGN : -1;
  return -1;
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
