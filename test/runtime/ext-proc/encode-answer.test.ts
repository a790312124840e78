import type { MessageKind } from '../../../runtime/ext-proc/decode-request';
import { encodeAnswer } from '../../../runtime/ext-proc/encode-answer';
import { type Answer, type Body, CONTINUE, HELD, type Reply } from '../../../runtime/ext-proc/processor';
import { frame, GOLDEN_ANSWERS, varint } from './golden';

const bytes = (kind: MessageKind, answer: Reply, endOfStream?: boolean) =>
  Buffer.concat([...encodeAnswer(kind, answer, endOfStream)]).toString('hex');
const framed = (hex: string) => frame(Buffer.from(hex, 'hex')).toString('hex');
const text = (value: string): Body => ({ length: Buffer.byteLength(value), chunks: [Buffer.from(value)] });

/** An answer to a body (field 3 or 4, by its tag): response, body_mutation, streamed_response, [end_of_stream], body. */
function streamedPiece(tag: number, body: string, end: string): string {
  const nested = (outer: number, inner: Buffer) => Buffer.concat([Buffer.from([outer]), varint(inner.length), inner]);
  const piece = Buffer.concat([Buffer.from(end, 'hex'), nested(0x0a, Buffer.from(body))]);
  return nested(tag, nested(0x0a, nested(0x1a, nested(0x1a, piece)))).toString('hex');
}

describe('encodeAnswer', () => {
  test.each(Object.entries(GOLDEN_ANSWERS.continue))('answers %s without a change', (kind, expected) => {
    expect(bytes(kind as MessageKind, CONTINUE)).toBe(framed(expected));
  });

  test('sets and removes headers, clears the route, replaces the body, writes metadata', () => {
    const answer: Answer = {
      kind: 'continue',
      setHeaders: [
        ['x-a', '1'],
        ['x-b', 'é'],
      ],
      removeHeaders: ['x-c', 'x-d'],
      clearRouteCache: true,
      body: text('new body'),
      lbMetadata: { 'x-gateway-destination-endpoint': '10.0.0.1:8000' },
    };

    expect(bytes('requestBody', answer)).toBe(framed(GOLDEN_ANSWERS.everything));
  });

  test('overrides all six modes to have a response body streamed', () => {
    const answer: Answer = { kind: 'continue', removeHeaders: ['content-length'], streamResponseBody: true };

    expect(bytes('responseHeaders', answer)).toBe(framed(GOLDEN_ANSWERS.streamed));
  });

  test('leaves out what a phase cannot do', () => {
    const answer: Answer = { kind: 'continue', clearRouteCache: true, streamResponseBody: true, body: text('x') };

    expect(bytes('responseHeaders', { ...answer, streamResponseBody: false })).toBe(
      framed(GOLDEN_ANSWERS.continue.responseHeaders),
    );
    expect(bytes('requestTrailers', answer)).toBe(framed(GOLDEN_ANSWERS.continue.requestTrailers));
  });

  test('answers the client itself', () => {
    const answer: Answer = {
      kind: 'immediate',
      status: 429,
      headers: [['retry-after', '3']],
      body: '{"error":{}}',
      details: 'saturated',
    };

    expect(bytes('requestBody', answer)).toBe(framed(GOLDEN_ANSWERS.immediate));
  });

  test('passes a large body on without a copy', () => {
    const chunks = [Buffer.alloc(40_000, 'a'), Buffer.alloc(50_000, 'b')];

    const pieces = encodeAnswer('requestBody', { kind: 'continue', body: { length: 90_000, chunks } });

    expect(pieces.slice(1)).toEqual(chunks);
    expect(pieces[1]).toBe(chunks[0]);
    expect(pieces[0]!.readUInt32BE(1)).toBe(pieces[0]!.length - 5 + 90_000);
  });

  test('writes values longer than its first buffer', () => {
    const long = 'x'.repeat(20_000);

    const answer = bytes('requestHeaders', { kind: 'continue', setHeaders: [['x-long', long]] });

    expect(Buffer.from(answer, 'hex').includes(long)).toBe(true);
    expect(Buffer.from(answer, 'hex').readUInt32BE(1)).toBe(answer.length / 2 - 5);
  });

  test('streams a body in pieces, after the answer to the headers and before that to the trailers', () => {
    const body = { length: 100_000, chunks: [Buffer.alloc(100_000, 'a')] };
    const answer: Reply = { kind: 'streamed', headers: CONTINUE, body };
    const head = GOLDEN_ANSWERS.continue.requestHeaders;
    const piece = (length: number, end: string) => streamedPiece(0x1a, 'a'.repeat(length), end);

    expect(bytes('requestBody', answer, true)).toBe(
      [head, piece(62_000, ''), piece(38_000, '1001')].map(framed).join(''),
    );
    expect(bytes('requestTrailers', answer)).toBe(
      [head, piece(62_000, ''), piece(38_000, ''), GOLDEN_ANSWERS.continue.requestTrailers].map(framed).join(''),
    );
  });

  test('ends an empty body with one empty piece, and writes none before trailers, after headers or for nothing', () => {
    const answer: Reply = { kind: 'streamed', body: text('') };

    expect(bytes('responseBody', answer, true)).toBe(framed(streamedPiece(0x22, '', '1001')));
    expect(bytes('responseBody', answer, false)).toBe('');
    expect(bytes('responseTrailers', answer)).toBe(framed(GOLDEN_ANSWERS.continue.responseTrailers));
    expect(bytes('requestHeaders', { ...answer, headers: CONTINUE }, true)).toBe(
      framed(GOLDEN_ANSWERS.continue.requestHeaders),
    );
    expect(bytes('requestBody', HELD)).toBe('');
  });

  test('asks for no more of a response body, with all six modes', () => {
    // GOLDEN_ANSWERS.streamed has the same six with a response body STREAMED (2001).
    expect(bytes('responseHeaders', { kind: 'continue', skipResponseBody: true })).toBe(
      framed('4a0c08011001180220002802300212020a00'),
    );
  });
});
