import type { WireReader } from './wire-reader';

/** Struct: fields = 1, entries of map<string, Value>; those of which `read` makes something. */
export function readStruct<T>(reader: WireReader, read: (reader: WireReader) => T | undefined): ReadonlyMap<string, T> {
  const fields = new Map<string, T>();
  const outer = reader.enter();
  while (reader.more()) {
    const tag = reader.varint();
    if (tag !== 10) {
      skipField(reader, tag);
      continue;
    }
    let key = '';
    let value: T | undefined;
    const map = reader.enter();
    while (reader.more()) {
      const part = reader.varint();
      if (part === 10) key = reader.text();
      else if (part === 18) value = read(reader);
      else skipField(reader, part);
    }
    reader.leave(map);
    if (value !== undefined) fields.set(key, value);
  }
  reader.leave(outer);
  return fields;
}

/** Value: number_value = 2, string_value = 3, bool_value = 4; nested values are passed over. */
export function readValue(reader: WireReader): string | undefined {
  let value: string | undefined;
  const outer = reader.enter();
  while (reader.more()) {
    const tag = reader.varint();
    if (tag === 17) value = String(reader.double());
    else if (tag === 26) value = reader.text();
    else if (tag === 32) value = reader.varint() === 0 ? 'false' : 'true';
    else skipField(reader, tag);
  }
  reader.leave(outer);
  return value;
}

/** The same, and list_value = 6; of a list its text, numbers and booleans. */
export function readValueOrList(reader: WireReader): string | readonly string[] | undefined {
  let value: string | readonly string[] | undefined;
  const outer = reader.enter();
  while (reader.more()) {
    const tag = reader.varint();
    if (tag === 50) value = readList(reader);
    else if (tag === 17) value = String(reader.double());
    else if (tag === 26) value = reader.text();
    else if (tag === 32) value = reader.varint() === 0 ? 'false' : 'true';
    else skipField(reader, tag);
  }
  reader.leave(outer);
  return value;
}

/** ListValue: values = 1. */
function readList(reader: WireReader): string[] {
  const values: string[] = [];
  const outer = reader.enter();
  while (reader.more()) {
    const tag = reader.varint();
    if (tag !== 10) {
      skipField(reader, tag);
      continue;
    }
    const value = readValue(reader);
    if (value !== undefined) values.push(value);
  }
  reader.leave(outer);
  return values;
}

/** Passes over a field nobody reads. Field number 0 does not exist: a message of zero bytes is no message. */
export function skipField(reader: WireReader, tag: number): void {
  reader.skip(tag < 8 ? -1 : tag % 8);
}
