import { append, bodyOf, sliceBody } from '../body/span';
import { spliceBody } from '../body/splice';
import { encodeString } from '../json/json-facts';
import { modelSpans } from './restore-spans';

/** A longer line passes unchanged. */
const MAX_LINE_BYTES = 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;

/**
 * For server-sent events: a line is held until it is whole, and the JSON of each `data:` line has its model replaced.
 * An event whose JSON is spread over several `data:` lines, which no model server sends, passes unchanged.
 */
export class SseRestorer {
  private readonly replacement: Buffer;
  private line: Buffer[] = [];
  private lineBytes = 0;
  /** The line at hand is too long to hold; the rest of it passes. */
  private overlong = false;

  constructor(model: string) {
    this.replacement = encodeString(model);
  }

  push(chunk: Buffer, endOfStream: boolean): readonly Buffer[] {
    const out: Buffer[] = [];
    let from = 0;
    for (let end = lineEnd(chunk, 0); end >= 0; end = lineEnd(chunk, from)) {
      this.hold(chunk.subarray(from, end), out);
      this.endLine(out);
      out.push(chunk.subarray(end, end + 1));
      from = end + 1;
    }
    this.hold(chunk.subarray(from), out);
    if (endOfStream) this.endLine(out);
    return out;
  }

  private hold(bytes: Buffer, out: Buffer[]): void {
    if (bytes.length === 0) return;
    if (this.overlong) {
      out.push(bytes);
      return;
    }
    this.line.push(bytes);
    this.lineBytes += bytes.length;
    if (this.lineBytes <= MAX_LINE_BYTES) return;
    append(out, this.line);
    this.line = [];
    this.lineBytes = 0;
    this.overlong = true;
  }

  private endLine(out: Buffer[]): void {
    const line = bodyOf(this.line);
    this.line = [];
    this.lineBytes = 0;
    this.overlong = false;
    if (line.length === 0) return;
    const head = Buffer.concat(sliceBody(line, { start: 0, end: 5 }).chunks).toString('latin1');
    if (head !== 'data:') {
      append(out, line.chunks);
      return;
    }
    const data = sliceBody(line, { start: 5, end: line.length });
    const spans = modelSpans(data).map(({ start, end }) => ({ start: start + 5, end: end + 5 }));
    append(out, spliceBody(line, spans, this.replacement).chunks);
  }
}

/** Where the line that begins at `from` ends in this chunk, or -1. Events end their lines with LF, CR or both. */
function lineEnd(chunk: Buffer, from: number): number {
  const lf = chunk.indexOf(LF, from);
  const cr = chunk.subarray(from, lf < 0 ? chunk.length : lf).indexOf(CR);
  return cr < 0 ? lf : from + cr;
}
