import type { Body } from '../../ext-proc/processor';
import { indexOf } from '../body/index-of';
import { type Span, sliceBody } from '../body/span';
import type { Sliced } from '../body/turns';

const BASE64 = Buffer.from(';base64,');
const QUOTE = Buffer.from('"');
/** What an image or a clip in a prompt counts as: 1,024 tokens, whatever its encoding weighs. */
const MEDIA_BYTES = 4096;
/** Images and clips of one prompt that are looked at; what is beyond counts as text. */
const MAX_MEDIA = 100;

/** Bytes of text in `spans`: the payload of a data URL (an image of a megabyte is no 250,000 tokens) is not text. */
export function* textBytes(body: Body, spans: readonly Span[]): Sliced<number> {
  let bytes = 0;
  let media = 0;
  for (const span of spans) {
    const value = sliceBody(body, span);
    bytes += value.length;
    for (
      let at = yield* indexOf(value, BASE64, 0);
      at >= 0 && media < MAX_MEDIA;
      at = yield* indexOf(value, BASE64, at)
    ) {
      media++;
      const quote = yield* indexOf(value, QUOTE, at);
      const end = quote < 0 ? value.length : quote;
      bytes -= Math.max(end - at - MEDIA_BYTES, 0);
      at = end;
      yield;
    }
  }
  return bytes;
}
