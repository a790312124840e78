import { type IncomingHttpHeaders, request } from 'node:http';

export interface Sent {
  readonly method?: string;
  /** A list is one line for each value. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** A list is sent chunked, one chunk an element; anything else with its length. */
  readonly body?: string | Buffer | readonly Buffer[];
  /** Cuts the connection. */
  readonly signal?: AbortSignal;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body as JSON; throws, with the body, when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there.
  json(): any;
}

/** One HTTP/1.1 request on a connection of its own, its path as written. Default: GET, or POST with a body. */
export function send(url: string, path: string, { method, headers = {}, body, signal }: Sent = {}): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const chunks = typeof body === 'string' || Buffer.isBuffer(body) ? [Buffer.from(body)] : (body ?? []);
    const length: Record<string, string> =
      body === undefined || Array.isArray(body) ? {} : { 'content-length': String(chunks[0]!.length) };
    const outgoing = request(
      {
        hostname,
        port,
        path,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...length, ...headers },
        agent: false,
        ...(signal && { signal }),
      },
      (response) => {
        const received: Buffer[] = [];
        response.on('data', (chunk: Buffer) => received.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const whole = Buffer.concat(received);
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body: whole,
            json: () => parse(whole),
          });
        });
      },
    );
    outgoing.on('error', reject);
    for (const chunk of chunks) outgoing.write(chunk);
    outgoing.end();
  });
}

/** A chat request's body, small and with a short answer unless `fields` say otherwise. */
export function chatBody(model: string, fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }], max_tokens: 2, ...fields });
}

// biome-ignore lint/suspicious/noExplicitAny: see Received.json.
function parse(body: Buffer): any {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new Error(`not JSON: ${body.toString().slice(0, 500)}`);
  }
}
