import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { chatBody } from './send';

/** One request of a load and what came of it. */
export interface Outcome {
  readonly index: number;
  readonly streamed: boolean;
  /** Absent when no response headers came. */
  readonly status?: number;
  readonly headers: IncomingHttpHeaders;
  /** All that came of the body. */
  readonly body: string;
  /** Why the answer is not whole, where it is not: the connection's error, or a stream without its end. */
  readonly fault?: string;
}

export interface LoadOptions {
  /** Without `/v1`. */
  readonly url: string;
  readonly model: string | ((index: number) => string);
  /** Clients, each with one request at a time on connections that are kept. */
  readonly concurrency: number;
  /** Requests in all; without it the load goes on until `stop`. */
  readonly requests?: number;
  /** Which requests are streamed; default none. */
  readonly streamed?: (index: number) => boolean;
  /** More fields of the request body. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Awaited before each request. */
  readonly before?: (index: number) => Promise<unknown> | undefined;
}

export interface Load {
  /** Requests that have ended. */
  readonly ended: () => number;
  /** No request begins any more. */
  stop(): void;
  /** Every outcome, once the last request has ended. */
  readonly outcomes: Promise<readonly Outcome[]>;
}

/** Sends chat requests from several clients at once. Never rejects on account of an answer. */
export function startLoad(options: LoadOptions): Load {
  const { url, concurrency, requests = Number.POSITIVE_INFINITY } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const outcomes: Outcome[] = [];
  let next = 0;
  let stopped = false;

  const client = async () => {
    while (!stopped && next < requests) {
      const index = next++;
      await options.before?.(index);
      outcomes.push(await sendOne(url, agent, index, options));
    }
  };
  const done = Promise.all(Array.from({ length: concurrency }, client));
  return {
    ended: () => outcomes.length,
    stop() {
      stopped = true;
    },
    outcomes: done.then(() => {
      agent.destroy();
      return outcomes;
    }),
  };
}

/** What did not end as a whole answer with status 200, in short: an empty list says that nothing failed. */
export function failures(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes
    .filter(({ status, fault }) => status !== 200 || fault !== undefined)
    .map(({ index, streamed, status, fault, body }) =>
      [`#${index}`, streamed ? 'streamed' : 'whole', status, fault, body.slice(0, 200)].join(' '),
    );
}

/** The pod that served, `ip:port`. */
export function servedBy({ headers }: Outcome): string | undefined {
  return headers['x-gateway-destination-endpoint-served'] as string | undefined;
}

function sendOne(url: string, agent: Agent, index: number, options: LoadOptions): Promise<Outcome> {
  const streamed = options.streamed?.(index) ?? false;
  const model = typeof options.model === 'string' ? options.model : options.model(index);
  const body = chatBody(model, { ...(streamed && { stream: true }), ...options.fields });
  return new Promise((resolve) => {
    let response: IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    const end = (fault?: string) => {
      const text = Buffer.concat(chunks).toString();
      const cut = streamed && response?.statusCode === 200 && !text.endsWith('data: [DONE]\n\n');
      const why = fault ?? (cut ? 'the stream has no end' : undefined);
      resolve({
        index,
        streamed,
        ...(response !== undefined && { status: response.statusCode! }),
        headers: response?.headers ?? {},
        body: text,
        ...(why !== undefined && { fault: why }),
      });
    };
    const failed = (error: NodeJS.ErrnoException) => end(error.code ?? error.message);
    const outgoing = httpRequest(
      `${url}/v1/chat/completions`,
      {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...options.headers },
      },
      (incoming) => {
        response = incoming;
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => end());
        incoming.on('error', failed);
      },
    );
    outgoing.on('error', failed);
    outgoing.end(body);
  });
}
