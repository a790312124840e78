import { HeldBytes } from '../../body-router/response/held-bytes';
import { lineEnds } from '../../body-router/response/sse-restorer';
import { isRecord, mergeUsage, readUsage, type TokenUsage } from './token-usage';

/** A longer line is not read. The last event of the Responses API repeats the whole answer before its usage. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const FIELD = 'data:';
/** A member, not text within a string: there the quotes are escaped. Most chunks of vLLM say `"usage":null`. */
const USAGE_MEMBER = /"usage"\s*:\s*\{/;

/** Reads the usage that passes in a stream of server-sent events, in whatever chunks it comes. */
export class SseUsage {
  usage: TokenUsage | undefined;
  private readonly line = new HeldBytes();
  private overlong = false;

  push(chunk: Buffer): void {
    let from = 0;
    for (const end of lineEnds(chunk)) {
      this.endLine(chunk.subarray(from, end));
      from = end + 1;
    }
    this.hold(chunk.subarray(from));
  }

  /** The last line need not have an end. */
  end(): void {
    this.endLine(Buffer.alloc(0));
  }

  private hold(rest: Buffer): void {
    this.overlong ||= this.line.length + rest.length > MAX_LINE_BYTES;
    if (!this.overlong) this.line.push(rest);
    else if (this.line.length > 0) this.line.takeWith(rest);
  }

  private endLine(rest: Buffer): void {
    const line = this.line.takeWith(rest);
    if (!this.overlong) this.read(line);
    this.overlong = false;
  }

  private read(line: Buffer): void {
    if (line.toString('latin1', 0, FIELD.length) !== FIELD || line.indexOf('"usage"') < 0) return;
    const text = line.toString('utf8', FIELD.length);
    if (!USAGE_MEMBER.test(text)) return;
    const event = parse(text);
    if (!isRecord(event)) return;
    const { message, response } = event;
    for (const holder of [message, response, event]) {
      if (isRecord(holder)) this.usage = mergeUsage(this.usage, readUsage(holder.usage));
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
