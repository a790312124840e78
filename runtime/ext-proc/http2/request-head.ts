import type { HeaderSink } from './hpack-decoder';

/** Bytes of all names and values, each with 32 for itself (RFC 9113, 6.5.2). Told to the peer. */
export const MAX_HEADER_LIST_BYTES = 65_536;

const FIELD_BYTES = 32;

/** No upper case, blanks, controls or what is not ASCII (RFC 9113, 8.2.1). A colon only begins a pseudo header. */
const NAME = /^[!-9;-@[-~]+$/;
const BAD_VALUE = /[\0\r\n]/;

/**
 * What a server needs of a request's headers, and whether they are as RFC 9113, 8, demands. Also checks trailers, which
 * are headers without pseudo headers.
 */
export class RequestHead implements HeaderSink {
  method = '';
  scheme = '';
  path = '';
  contentType = '';
  /** -1: not told. */
  contentLength = -1;
  /** A name or value that no message may hold, or in a place where it may not be. */
  malformed = false;

  private hasAuthority = false;
  private listBytes = 0;

  /** `pseudoAllowed`: no pseudo header may follow another header, and none is in trailers. */
  constructor(private pseudoAllowed: boolean) {}

  get tooLarge(): boolean {
    return this.listBytes > MAX_HEADER_LIST_BYTES;
  }

  /** Whether this is the head of a request. */
  get complete(): boolean {
    return !this.malformed && this.method !== '' && this.scheme !== '' && this.path !== '';
  }

  field(name: string, value: string): void {
    this.listBytes += name.length + value.length + FIELD_BYTES;
    if (name.startsWith(':')) {
      if (!this.pseudoAllowed || !this.pseudo(name, value)) this.malformed = true;
      return;
    }
    this.pseudoAllowed = false;
    if (!NAME.test(name) || BAD_VALUE.test(value) || !this.regular(name, value)) this.malformed = true;
  }

  /** False where the header is unknown, or came before. */
  private pseudo(name: string, value: string): boolean {
    switch (name) {
      case ':method':
        if (this.method !== '') return false;
        this.method = value;
        return true;
      case ':scheme':
        if (this.scheme !== '') return false;
        this.scheme = value;
        return true;
      case ':path':
        if (this.path !== '') return false;
        this.path = value;
        return true;
      case ':authority':
        if (this.hasAuthority) return false;
        this.hasAuthority = true;
        return true;
      default:
        return false;
    }
  }

  /** False where HTTP/2 does not allow the header. */
  private regular(name: string, value: string): boolean {
    switch (name) {
      case 'content-type':
        this.contentType = value;
        return true;
      case 'content-length':
        this.contentLength = Number(value);
        return /^\d{1,15}$/.test(value);
      case 'te':
        return value === 'trailers';
      case 'connection':
      case 'keep-alive':
      case 'proxy-connection':
      case 'transfer-encoding':
      case 'upgrade':
        return false;
      default:
        return true;
    }
  }
}
