import { bodyPieces } from './body-pieces';
import type { MessageKind } from './decode-request';
import {
  type Body,
  CONTINUE,
  type ContinueAnswer,
  type ImmediateAnswer,
  type Reply,
  type StreamedAnswer,
} from './processor';
import { WireWriter } from './wire-writer';

/** Tags: field number times 8, plus 2 for a length-delimited field and 0 for a number. */
const bytesTag = (field: number) => field * 8 + 2;
const numberTag = (field: number) => field * 8;

/** Fields of ProcessingResponse that answer a message; Envoy takes any other as an error and goes on without us. */
const ANSWER_TAG: Readonly<Record<Exclude<MessageKind, 'unknown'>, number>> = {
  requestHeaders: bytesTag(1),
  responseHeaders: bytesTag(2),
  requestBody: bytesTag(3),
  responseBody: bytesTag(4),
  requestTrailers: bytesTag(5),
  responseTrailers: bytesTag(6),
};
const IMMEDIATE_RESPONSE = bytesTag(7);
const DYNAMIC_METADATA = bytesTag(8);
const MODE_OVERRIDE = bytesTag(9);

/** HeaderValueOption.append_action: OVERWRITE_IF_EXISTS_OR_ADD. */
const OVERWRITE = 2;

/** The only namespace that Envoy Gateway is told to accept from a processor. */
const METADATA_NAMESPACE = 'envoy.lb';

/** The largest piece of a streamed body: some Envoys take no message of more than 64 KiB. */
const MAX_STREAMED_BYTES = 62_000;

/** Body modes. */
const NONE = 0;
const STREAMED = 1;

/** Pieces of a body up to this size are copied behind their header: one write is cheaper than several. */
const COPY_BYTES = 16_384;

const writer = new WireWriter();

/**
 * The gRPC frames that answer a message of `kind`, in one or more pieces; a large body is passed on without a copy.
 * Immediate answers fit every kind but the trailers of a response. `endOfStream`: the message was the body's last, and
 * no trailers follow.
 */
export function encodeAnswer(kind: MessageKind, answer: Reply, endOfStream = false): readonly Buffer[] {
  if (answer.kind === 'immediate') return encodeImmediate(answer);
  if (answer === CONTINUE) return CONSTANT[kind];
  if (answer.kind === 'held') return [];
  if (answer.kind === 'streamed') return encodeStreamed(kind, answer, endOfStream);
  if (kind === 'unknown' || kind === 'requestTrailers' || kind === 'responseTrailers') return CONSTANT[kind];
  return encodeContinue(kind, answer);
}

type Phase = 'requestHeaders' | 'responseHeaders' | 'requestBody' | 'responseBody';

function encodeContinue(kind: Phase, answer: ContinueAnswer): readonly Buffer[] {
  const { body } = answer;
  const changesBody = body !== undefined && (kind === 'requestBody' || kind === 'responseBody');
  // The body is the last thing in the message, so that its pieces can follow what the writer made.
  writer.begin(changesBody ? body.length : 0);
  writeCommonResponse(kind, answer, changesBody);
  if (kind === 'responseHeaders') {
    if (answer.streamResponseBody === true) writeModeOverride(STREAMED);
    else if (answer.skipResponseBody === true) writeModeOverride(NONE);
  }
  if (answer.lbMetadata !== undefined) writeMetadata(answer.lbMetadata);
  writer.frame();
  const head = writer.finish();
  return changesBody ? withBody(head, body) : [head];
}

/** Answers to headers, body and trailers, each a frame, and the body in as many as it needs. */
function encodeStreamed(kind: MessageKind, { headers, body }: StreamedAnswer, endOfStream: boolean): Buffer[] {
  const request = kind === 'requestHeaders' || kind === 'requestBody' || kind === 'requestTrailers';
  const frames: Buffer[] = [];
  if (headers !== undefined) {
    for (const piece of encodeAnswer(request ? 'requestHeaders' : 'responseHeaders', headers)) frames.push(piece);
  }
  const pieces = bodyPieces(body, MAX_STREAMED_BYTES);
  const isBody = kind === 'requestBody' || kind === 'responseBody';
  if (pieces.length === 0 && endOfStream && isBody) pieces.push(body);
  for (const [index, piece] of pieces.entries()) {
    const last = endOfStream && index === pieces.length - 1;
    for (const part of encodeBodyPiece(request ? 'requestBody' : 'responseBody', piece, last)) frames.push(part);
  }
  if (kind === 'requestTrailers' || kind === 'responseTrailers') frames.push(...CONSTANT[kind]);
  return frames;
}

/** BodyMutation: streamed_response = 3. StreamedBodyResponse: body = 1, end_of_stream = 2. */
function encodeBodyPiece(kind: 'requestBody' | 'responseBody', body: Body, endOfStream: boolean): readonly Buffer[] {
  writer.begin(body.length);
  writer.close(bytesTag(1), 0);
  if (endOfStream) writer.number(numberTag(2), 1);
  writer.close(bytesTag(3), 0);
  writer.close(bytesTag(3), 0);
  writer.close(bytesTag(1), 0);
  writer.close(ANSWER_TAG[kind], 0);
  writer.frame();
  return withBody(writer.finish(), body);
}

/** HeadersResponse and BodyResponse: response = 1. CommonResponse: header_mutation = 2, body_mutation = 3, clear_route_cache = 5. */
function writeCommonResponse(kind: Phase, answer: ContinueAnswer, changesBody: boolean): void {
  if (changesBody) {
    writer.close(bytesTag(1), 0);
    writer.close(bytesTag(3), 0);
  }
  if (answer.clearRouteCache === true && (kind === 'requestHeaders' || kind === 'requestBody')) {
    writer.number(numberTag(5), 1);
  }
  if (answer.setHeaders !== undefined || answer.removeHeaders !== undefined) {
    const from = writer.size();
    writeHeaderMutation(answer.setHeaders, answer.removeHeaders);
    writer.close(bytesTag(2), from);
  }
  writer.close(bytesTag(1), 0);
  writer.close(ANSWER_TAG[kind], 0);
}

/** HeaderMutation: set_headers = 1 (header = 1, append_action = 3), remove_headers = 2. HeaderValue: key = 1, raw_value = 3. */
function writeHeaderMutation(set: ContinueAnswer['setHeaders'], remove: ContinueAnswer['removeHeaders']): void {
  if (remove !== undefined) {
    for (let index = remove.length - 1; index >= 0; index--) writer.text(bytesTag(2), remove[index]!);
  }
  if (set === undefined) return;
  for (let index = set.length - 1; index >= 0; index--) {
    const [name, value] = set[index]!;
    const option = writer.size();
    writer.number(numberTag(3), OVERWRITE);
    const header = writer.size();
    writer.text(bytesTag(3), value);
    writer.text(bytesTag(1), name);
    writer.close(bytesTag(1), header);
    writer.close(bytesTag(1), option);
  }
}

/**
 * ProcessingMode, all six of them: what an override leaves out falls back to Envoy's defaults, not to the filter's.
 * Headers SEND (1), request body BUFFERED (2), trailers SKIP (2).
 */
function writeModeOverride(responseBody: number): void {
  const from = writer.size();
  writer.number(numberTag(6), 2);
  writer.number(numberTag(5), 2);
  writer.number(numberTag(4), responseBody);
  writer.number(numberTag(3), 2);
  writer.number(numberTag(2), 1);
  writer.number(numberTag(1), 1);
  writer.close(MODE_OVERRIDE, from);
}

/** A Struct within a Struct. Struct: fields = 1 (key = 1, value = 2). Value: string_value = 3, struct_value = 5. */
function writeMetadata(values: Readonly<Record<string, string>>): void {
  const from = writer.size();
  for (const [name, value] of Object.entries(values)) {
    const entry = writer.size();
    writer.text(bytesTag(3), value);
    writer.close(bytesTag(2), entry);
    writer.text(bytesTag(1), name);
    writer.close(bytesTag(1), entry);
  }
  writer.close(bytesTag(5), from);
  writer.close(bytesTag(2), from);
  writer.text(bytesTag(1), METADATA_NAMESPACE);
  writer.close(bytesTag(1), from);
  writer.close(DYNAMIC_METADATA, from);
}

/** ImmediateResponse: status = 1 (code = 1), headers = 2, body = 3, details = 5. */
function encodeImmediate(answer: ImmediateAnswer): readonly Buffer[] {
  writer.begin(0);
  writer.text(bytesTag(5), answer.details);
  writer.text(bytesTag(3), answer.body);
  const headers = writer.size();
  writeHeaderMutation(answer.headers, undefined);
  writer.close(bytesTag(2), headers);
  const status = writer.size();
  writer.number(numberTag(1), answer.status);
  writer.close(bytesTag(1), status);
  writer.close(IMMEDIATE_RESPONSE, 0);
  writer.frame();
  return [writer.finish()];
}

function withBody(head: Buffer, body: Body): readonly Buffer[] {
  const pieces = [head, ...body.chunks];
  return body.length <= COPY_BYTES ? [Buffer.concat(pieces)] : pieces;
}

/** The answers that change nothing, made once. */
const CONSTANT: Readonly<Record<MessageKind, readonly Buffer[]>> = {
  requestHeaders: encodeContinue('requestHeaders', { kind: 'continue' }),
  responseHeaders: encodeContinue('responseHeaders', { kind: 'continue' }),
  requestBody: encodeContinue('requestBody', { kind: 'continue' }),
  responseBody: encodeContinue('responseBody', { kind: 'continue' }),
  requestTrailers: encodeEmpty(ANSWER_TAG.requestTrailers),
  responseTrailers: encodeEmpty(ANSWER_TAG.responseTrailers),
  // A response without an answer: Envoy stops asking at once instead of waiting for its time-out.
  unknown: encodeEmpty(),
};

function encodeEmpty(tag?: number): readonly Buffer[] {
  writer.begin(0);
  if (tag !== undefined) writer.close(tag, 0);
  writer.frame();
  return [writer.finish()];
}
