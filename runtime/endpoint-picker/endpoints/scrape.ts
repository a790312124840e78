import { Client } from 'undici';
import type { ScrapeOutcome } from '../observe';
import type { PagePlace } from './page-place';

export type Scrape =
  | { readonly outcome: 'ok'; readonly page: Buffer }
  | { readonly outcome: Exclude<ScrapeOutcome, 'ok'>; readonly detail: string };

export interface ScrapeLimits {
  readonly maxPageBytes: number;
}

/** A kept connection to one model server, for one request at a time. */
export interface ScrapeConnection {
  /**
   * Calls back exactly once, also when the connection is closed meanwhile; never throws. `timeoutMs`: from the start to
   * the last byte of the page.
   */
  get(timeoutMs: number, done: (scrape: Scrape) => void): void;
  close(): Promise<void>;
}

/** Statuses by which a server says that it has no such page. */
const NO_PAGE: ReadonlySet<number> = new Set([404, 405, 410, 501]);

export function connect({ address, path }: PagePlace, { maxPageBytes }: ScrapeLimits): ScrapeConnection {
  let client = open();
  let closed = false;

  // The time limit below covers the whole scrape, so that the client needs none of its own.
  function open(): Client {
    return new Client(`http://${address}`, {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: 0 },
    });
  }

  function get(timeoutMs: number, done: (scrape: Scrape) => void): void {
    const chunks: Buffer[] = [];
    let length = 0;
    let status = 0;
    let over = false;

    function finish(scrape: Scrape): void {
      if (over) return;
      over = true;
      clearTimeout(timer);
      // Not at once: a client that is asked again from inside its own error callback throws where nobody catches.
      queueMicrotask(() => done(scrape));
    }

    /** Ends a request that is not read to its end, and with it its connection. */
    function giveUp(scrape: Scrape): void {
      const broken = client;
      if (!closed) client = open();
      finish(scrape);
      broken.destroy().catch(() => undefined);
    }

    const expired = () => giveUp({ outcome: 'timeout', detail: `no answer within ${timeoutMs} ms` });
    // Where it was this process that stood still, answers lie unread: they come first.
    const timer = setTimeout(() => setImmediate(() => over || expired()), timeoutMs);
    try {
      client.dispatch(
        { path, method: 'GET', headers: ['accept', 'text/plain'] },
        {
          onRequestStart() {},
          onResponseStart(_controller, statusCode) {
            status = statusCode;
          },
          onResponseData(_controller, chunk) {
            length += chunk.length;
            if (length > maxPageBytes) giveUp({ outcome: 'too-large', detail: `page above ${maxPageBytes} bytes` });
            else if (status === 200) chunks.push(chunk);
          },
          onResponseEnd() {
            finish(toScrape(status, chunks, length));
          },
          onResponseError(_controller, error) {
            finish(brokenOff(error));
          },
        },
      );
    } catch (error) {
      finish(brokenOff(error));
    }
  }

  return {
    get,
    async close() {
      closed = true;
      await client.destroy();
    },
  };
}

function toScrape(status: number, chunks: readonly Buffer[], length: number): Scrape {
  if (status === 200) return { outcome: 'ok', page: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length) };
  return { outcome: NO_PAGE.has(status) ? 'no-metrics' : 'status', detail: `status ${status}` };
}

function brokenOff(error: unknown): Scrape {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const detail = typeof code === 'string' ? code : 'request failed';
  return { outcome: code === 'ECONNREFUSED' ? 'refused' : 'connection', detail };
}
