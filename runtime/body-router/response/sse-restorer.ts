import { append, bodyOf } from '../body/span';
import { spliceBody } from '../body/splice';
import { encodeString } from '../json/json-facts';
import { HeldBytes } from './held-bytes';
import { modelSpans } from './restore-spans';

/** A longer line passes unchanged. */
const MAX_LINE_BYTES = 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const FIELD = 'data:';

/**
 * For server-sent events: a line is held until it is whole, and the JSON of each `data:` line has its model replaced.
 * An event whose JSON is spread over several `data:` lines, which no model server sends, passes unchanged.
 */
export class SseRestorer {
  private readonly replacement: Buffer;
  private readonly line = new HeldBytes();
  /** The line at hand is too long to hold; the rest of it passes. */
  private overlong = false;

  constructor(model: string) {
    this.replacement = encodeString(model);
  }

  push(chunk: Buffer, endOfStream: boolean): readonly Buffer[] {
    const out: Buffer[] = [];
    let from = 0;
    for (const end of lineEnds(chunk)) {
      this.endLine(chunk.subarray(from, end), out);
      out.push(chunk.subarray(end, end + 1));
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    if (endOfStream) this.endLine(rest, out);
    else this.hold(rest, out);
    return out;
  }

  private hold(bytes: Buffer, out: Buffer[]): void {
    if (!this.overlong && this.line.length + bytes.length <= MAX_LINE_BYTES) {
      this.line.push(bytes);
      return;
    }
    out.push(this.line.takeWith(bytes));
    this.overlong = true;
  }

  private endLine(bytes: Buffer, out: Buffer[]): void {
    const line = this.line.takeWith(bytes);
    if (this.overlong || line.length > MAX_LINE_BYTES || line.toString('latin1', 0, FIELD.length) !== FIELD) {
      if (line.length > 0) out.push(line);
      this.overlong = false;
      return;
    }
    const data = bodyOf([line.subarray(FIELD.length)]);
    const spans = modelSpans(data).map(({ start, end }) => ({ start: start + FIELD.length, end: end + FIELD.length }));
    append(out, spliceBody(bodyOf([line]), spans, this.replacement).chunks);
  }
}

/** Where lines end in a chunk: at LF, at CR, or at both, with an empty line between them. */
export function* lineEnds(chunk: Buffer): Generator<number> {
  let lf = chunk.indexOf(LF);
  let cr = chunk.indexOf(CR);
  while (lf >= 0 || cr >= 0) {
    if (cr < 0 || (lf >= 0 && lf < cr)) {
      yield lf;
      lf = chunk.indexOf(LF, lf + 1);
    } else {
      yield cr;
      cr = chunk.indexOf(CR, cr + 1);
    }
  }
}
