import type { MessageKind } from '../../../runtime/ext-proc/decode-request';
import { encodeAnswer } from '../../../runtime/ext-proc/encode-answer';
import { type Answer, type Body, CONTINUE } from '../../../runtime/ext-proc/processor';
import { frame, GOLDEN_ANSWERS } from './golden';

const bytes = (kind: MessageKind, answer: Answer) => Buffer.concat([...encodeAnswer(kind, answer)]).toString('hex');
const framed = (hex: string) => frame(Buffer.from(hex, 'hex')).toString('hex');
const text = (value: string): Body => ({ length: Buffer.byteLength(value), chunks: [Buffer.from(value)] });

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
});
