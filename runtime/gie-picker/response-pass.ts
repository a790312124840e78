import { bodyOf } from '../body-router/body/span';
import { type FirstTokenWatch, firstTokenWatchFor } from '../body-router/response/first-token';
import { type ModelRestorer, restorerFor } from '../body-router/response/model-restorer';
import { type BodyMode, CONTINUE, type ContinueAnswer, type HeaderMap, type Reply } from '../ext-proc/processor';
import type { TokenUsage } from './usage/token-usage';
import { type UsageWatch, usageWatchFor } from './usage/usage-watch';

/** What is wanted of a response. */
export interface ResponseWishes {
  /** The name to set back as its model; undefined where it was not changed. */
  readonly askedModel: string | undefined;
  /** Called when the first token of a stream passes; undefined where nobody asks. */
  readonly firstToken: (() => void) | undefined;
  /** Read what the response tells of tokens, where it comes by anyway. */
  readonly usage: boolean;
}

const NO_BYTES = Buffer.alloc(0);

/** One response as it passes the picker. Its body goes on chunk by chunk, whatever is done with it. */
export class ResponsePass {
  private readonly restorer: ModelRestorer | undefined;
  private readonly tokenWatch: FirstTokenWatch | undefined;
  private readonly usageWatch: UsageWatch | undefined;
  private readonly duplex: boolean;

  constructor(
    headers: HeaderMap,
    private readonly mode: BodyMode,
    private readonly wishes: ResponseWishes,
  ) {
    const { askedModel, firstToken, usage } = wishes;
    this.duplex = mode === 'FULL_DUPLEX_STREAMED';
    // Only in this mode can bytes that a restorer holds still be sent once trailers have come.
    const restorable = this.duplex || !headers.has('trailer');
    this.restorer = askedModel !== undefined && restorable ? restorerFor(headers, askedModel) : undefined;
    this.tokenWatch = firstToken && firstTokenWatchFor(headers);
    this.usageWatch = usage && mode !== 'NONE' ? usageWatchFor(headers) : undefined;
  }

  /**
   * The answer to the headers. Where the proxy heeds it, a buffered body is streamed, so that no client
   * waits for the whole of it, and a body that is not needed does not come. In FULL_DUPLEX_STREAMED mode Envoy (1.40)
   * heeds neither.
   */
  headers(): ContinueAnswer {
    const { duplex, mode, restorer, tokenWatch, usageWatch } = this;
    const wanted = restorer !== undefined || tokenWatch !== undefined || usageWatch !== undefined;
    return {
      kind: 'continue',
      ...(restorer !== undefined && { removeHeaders: ['content-length'] }),
      ...(!duplex && wanted && mode !== 'STREAMED' && { streamResponseBody: true }),
      ...(!duplex && !wanted && mode !== 'NONE' && { skipResponseBody: true }),
    };
  }

  body(chunk: Buffer, endOfStream: boolean): Reply {
    this.usageWatch?.push(chunk);
    if (this.tokenWatch?.push(chunk)) this.wishes.firstToken?.();
    const chunks = this.restorer?.push(chunk, endOfStream) ?? [chunk];
    if (this.duplex) return { kind: 'streamed', body: bodyOf(chunks) };
    return chunks.length === 1 && chunks[0] === chunk ? CONTINUE : { kind: 'continue', body: bodyOf(chunks) };
  }

  trailers(): Reply {
    if (!this.duplex) return CONTINUE;
    return { kind: 'streamed', body: bodyOf(this.restorer?.push(NO_BYTES, true) ?? []) };
  }

  /** What the response told, for when it is over. */
  usage(): TokenUsage | undefined {
    this.usageWatch?.end();
    return this.usageWatch?.usage;
  }
}
