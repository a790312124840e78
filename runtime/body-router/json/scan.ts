import type { Body } from '../../ext-proc/processor';
import { SLICE_BYTES, type Sliced } from '../body/turns';
import type { JsonFault } from './json-fault';
import { JsonScanner, type Member } from './scanner';
import { Utf8Check } from './utf8-check';

export type ScanResult = { readonly members: readonly Member[] } | { readonly fault: JsonFault };

/**
 * Where the members `keys` of the JSON object in `body` lie; a fault when the body is not UTF-8, not JSON or not an
 * object.
 */
export function* scanObject(body: Body, keys: ReadonlySet<string>): Sliced<ScanResult> {
  const utf8 = new Utf8Check();
  const scanner = new JsonScanner(keys);
  let room = SLICE_BYTES;
  for (const chunk of body.chunks) {
    for (let from = 0; from < chunk.length; ) {
      if (room === 0) {
        yield;
        room = SLICE_BYTES;
      }
      const to = Math.min(chunk.length, from + room);
      const piece = from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to);
      const fault = utf8.push(piece) ?? scanner.push(piece);
      if (fault !== undefined) return { fault };
      room -= to - from;
      from = to;
    }
  }
  const fault = utf8.end() ?? scanner.end();
  if (fault !== undefined) return { fault };
  if (scanner.root !== 'object') {
    return { fault: { kind: 'syntax', offset: 0, message: `an object is needed, this is ${scanner.root}` } };
  }
  return { members: scanner.members };
}
