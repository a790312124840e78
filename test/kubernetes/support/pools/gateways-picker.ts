/**
 * A picker that does what a request tells it: sets the headers that it names, asks for another choice of the route, and
 * chooses nothing by itself. In plain text, at the port that is its argument.
 */
import {
  type Body,
  CONTINUE,
  type ContinueAnswer,
  type HeaderMap,
  type Peer,
  type ProcessorStream,
  type Reply,
} from '../../../../runtime/ext-proc/processor';
import { startExtProcServer } from '../../../../runtime/ext-proc/server';

/** What a request tells it, as JSON in the header `test-picker`. */
export interface Told {
  /** With the answer to which message; the body only where it is collected first. */
  readonly on: 'headers' | 'body';
  readonly set: Readonly<Record<string, string>>;
}

class ToldStream implements ProcessorStream {
  private told: Told | undefined;
  private streams = false;

  requestHeaders(headers: HeaderMap, _endOfStream: boolean, { bodyModes }: Peer): Reply {
    const told = headers.get('test-picker');
    this.told = told === undefined ? undefined : (JSON.parse(told) as Told);
    this.streams = bodyModes?.request === 'FULL_DUPLEX_STREAMED';
    return this.answer('headers');
  }

  requestBody(body: Body): Reply {
    return this.streams ? { kind: 'streamed', body } : this.answer('body');
  }

  responseHeaders = () => CONTINUE;
  responseBody = () => CONTINUE;
  closed(): void {}

  private answer(on: Told['on']): ContinueAnswer {
    if (this.told?.on !== on) return CONTINUE;
    return { kind: 'continue', clearRouteCache: true, setHeaders: Object.entries(this.told.set) };
  }
}

startExtProcServer({
  processor: {
    open: () => new ToldStream(),
    overloaded: () => ({ kind: 'immediate', status: 503, headers: [], body: '', details: 'overloaded' }),
  },
  listen: { host: '0.0.0.0', port: Number(process.argv[2]) },
  maxMessageBytes: 1 << 20,
  onHandlerError: console.error,
}).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
