import type { HeaderMap } from '../../ext-proc/processor';
import { mediaType } from '../multipart/content-type';

/** A stream that has shown no piece of its answer in so many bytes is watched no longer. */
const MAX_WATCHED_BYTES = 1024 * 1024;
/** The part of a line that tells what it is. */
const HEAD_BYTES = 64;
const LF = 0x0a;
const CR = 0x0d;

/** An answer without tokens, or the end of one. */
const NO_PIECE = /^(\[DONE\])?$|^\{\s*"error"\s*:\s*(?!null)/;
/** Named events without a token: the Responses API echoes the request at once, the Messages API pings. */
const NAME_OF_PIECE = /delta$|^(message)?$/;

/**
 * Sees the first token pass in a stream of server-sent events: at the end of the first `data:` line that carries a piece
 * of the answer. Comments (keep-alives), errors, `[DONE]` and named events other than deltas carry none. The headers of
 * such a stream are no sign of a token: vLLM sends them at once.
 */
export class FirstTokenWatch {
  private readonly head = Buffer.alloc(HEAD_BYTES);
  private used = 0;
  private watched = 0;
  private afterCr = false;
  private event = '';
  private over = false;

  /** True for the chunk with which the first token has passed, and for no other. */
  push(chunk: Buffer): boolean {
    if (this.over) return false;
    for (const byte of chunk) {
      if (byte !== LF && byte !== CR) {
        if (this.used < HEAD_BYTES) this.head[this.used++] = byte;
      } else if (!(byte === LF && this.afterCr) && this.endsPiece()) {
        this.over = true;
        return true;
      }
      this.afterCr = byte === CR;
    }
    this.watched += chunk.length;
    this.over = this.watched >= MAX_WATCHED_BYTES;
    return false;
  }

  /** Takes the line at hand. */
  private endsPiece(): boolean {
    const line = this.head.toString('latin1', 0, this.used);
    this.used = 0;
    if (line === '') this.event = '';
    else if (line.startsWith('event:')) this.event = line.slice('event:'.length).trim();
    else if (line.startsWith('data:')) {
      return NAME_OF_PIECE.test(this.event) && !NO_PIECE.test(line.slice('data:'.length).trim());
    }
    return false;
  }
}

/**
 * The watch for a response, by its headers; undefined where it is no stream of tokens. A compressed stream is not
 * watched: its first bytes are the encoder's own.
 */
export function firstTokenWatchFor(headers: HeaderMap): FirstTokenWatch | undefined {
  if (!/^2\d\d$/.test(headers.get(':status') ?? '')) return undefined;
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') return undefined;
  return mediaType(headers.get('content-type')) === 'text/event-stream' ? new FirstTokenWatch() : undefined;
}
