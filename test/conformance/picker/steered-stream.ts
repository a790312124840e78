import { SERVED_ENDPOINT_HEADER } from '../../../lib/translate/envoy/control-headers';
import type {
  Attributes,
  Body,
  HeaderMap,
  Metadata,
  Peer,
  ProcessorStream,
  Reply,
} from '../../../runtime/ext-proc/processor';
import { SERVED_NAMESPACE } from '../../../runtime/gie-picker/gie-stream';
import { SUBSET_NAMESPACE } from '../../../runtime/gie-picker/subset';

/** By it the suite says to which endpoints a request may go: `ip:port`, or `ip` for any port there, with commas between. */
const SELECTION_HEADER = 'test-epp-endpoint-selection';

/** In it the suite reads which endpoint the gateway says has served. */
const RESULT_HEADER = 'x-conformance-test-served-endpoint';

const SUBSET_KEY = 'x-gateway-destination-endpoint-subset';

/**
 * The product's own stream, with the suite's hand on it: a selection counts as the proxy's own subset would, and the
 * response tells what the proxy has reported. Neither header means anything to the stream itself.
 */
export class SteeredStream implements ProcessorStream {
  constructor(private readonly stream: ProcessorStream) {}

  requestHeaders(headers: HeaderMap, endOfStream: boolean, peer: Peer): Reply | Promise<Reply> {
    const selection = headers.get(SELECTION_HEADER);
    if (selection === undefined || selection === '') return this.stream.requestHeaders(headers, endOfStream, peer);
    const metadata = new Map([...peer.metadata, [SUBSET_NAMESPACE, new Map([[SUBSET_KEY, selection]])]]);
    return this.stream.requestHeaders(headers, endOfStream, { ...peer, metadata });
  }

  requestBody(body: Body, endOfStream: boolean): Reply | Promise<Reply> {
    return this.stream.requestBody(body, endOfStream);
  }

  requestTrailers(): Reply | Promise<Reply> {
    return this.stream.requestTrailers!();
  }

  async responseHeaders(headers: HeaderMap, attributes: Attributes, metadata: Metadata): Promise<Reply> {
    const answer = await this.stream.responseHeaders(headers, attributes, metadata);
    if (answer.kind !== 'continue') return answer;
    return { ...answer, setHeaders: [...(answer.setHeaders ?? []), [RESULT_HEADER, servedBy(metadata)]] };
  }

  responseBody(chunk: Buffer, endOfStream: boolean): Reply | Promise<Reply> {
    return this.stream.responseBody(chunk, endOfStream);
  }

  responseTrailers(): Reply | Promise<Reply> {
    return this.stream.responseTrailers!();
  }

  closed(): void {
    this.stream.closed();
  }
}

function servedBy(metadata: Metadata): string {
  const served = metadata.get(SERVED_NAMESPACE)?.get(SERVED_ENDPOINT_HEADER);
  return typeof served === 'string' ? served : 'fail: the gateway has not told which endpoint served';
}
