import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What a test may want to know of a request that reached the server. Never the body, never credentials. */
export interface RequestSummary {
  readonly method: string;
  /** With the query string, as received. */
  readonly path: string;
  readonly model: string | null;
  readonly bytes: number;
  readonly sha256: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the answer; null while it is not finished, 0 when the connection was lost before its end. */
  status: number | null;
}

const KEPT_REQUESTS = 1000;
const KEPT_HEADERS = new Set(['accept', 'content-length', 'content-type', 'host', 'traceparent', 'user-agent']);

/** The last 1,000 requests. */
export class RequestLog {
  private readonly kept: RequestSummary[] = [];
  private total = 0;

  add(method: string, path: string, headers: IncomingHttpHeaders, body: Buffer, model: string | null): RequestSummary {
    const summary: RequestSummary = {
      method,
      path,
      model,
      bytes: body.length,
      sha256: createHash('sha256').update(body).digest('hex'),
      headers: keptHeaders(headers),
      status: null,
    };
    this.kept.push(summary);
    this.total++;
    if (this.kept.length > KEPT_REQUESTS) this.kept.shift();
    return summary;
  }

  /** `total` counts since the start; `requests` are the kept ones, oldest first. */
  view(): { total: number; requests: readonly RequestSummary[] } {
    return { total: this.total, requests: this.kept };
  }
}

function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const wanted = KEPT_HEADERS.has(name) || (name.startsWith('x-') && name !== 'x-api-key');
    if (wanted && value !== undefined) kept[name] = String(value);
  }
  return kept;
}
