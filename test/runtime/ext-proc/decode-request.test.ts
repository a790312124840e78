import fc from 'fast-check';
import { decodeRequest } from '../../../runtime/ext-proc/decode-request';
import { GOLDEN_REQUESTS, requestBodyMessage } from './golden';

/**
 * Request headers; metadata under `want` (s: "text", l: ["a", "b"]) and `drop` (s: "x"); protocol_config with request
 * bodies FULL_DUPLEX_STREAMED and response bodies BUFFERED.
 */
const PEER =
  '1200423e0a280a0477616e7412200a0b0a017312061a04746578740a110a016c120c320a0a031a01610a031a01620a120a04' +
  '64726f70120a0a080a017312031a01785a0408041002';

const golden = (name: keyof typeof GOLDEN_REQUESTS) => Buffer.from(GOLDEN_REQUESTS[name], 'hex');

describe('decodeRequest', () => {
  test('reads request headers from raw_value and value, the last of a name, as UTF-8', () => {
    expect(decodeRequest([golden('requestHeaders')])).toEqual({
      kind: 'requestHeaders',
      endOfStream: true,
      peer: { metadata: new Map(), bodyModes: undefined },
      headers: new Map([
        [':path', '/v1/chat/completions'],
        ['x-name', 'é'],
        ['old', 'plain'],
        ['twice', '2'],
      ]),
    });
  });

  test('reads a request body as a view of the message', () => {
    const message = golden('requestBody');

    const decoded = decodeRequest([message]);

    const body = { length: 13, chunks: [Buffer.from('{"model":"m"}')] };
    expect(decoded).toEqual({ kind: 'requestBody', body, endOfStream: true });
    message.fill('x');
    expect(decoded).toMatchObject({ body: { chunks: [Buffer.from('x'.repeat(13))] } });
  });

  test('reads attributes of ext_proc as text and leaves out what is not a scalar', () => {
    expect(decodeRequest([golden('responseHeaders')])).toEqual({
      kind: 'responseHeaders',
      headers: new Map([[':status', '200']]),
      attributes: new Map([
        ['upstream.address', '10.0.0.1:8000'],
        ['upstream.request_attempt_count', '2'],
        ['flag', 'true'],
      ]),
      metadata: new Map(),
    });
  });

  test('reads a chunk of a response body, and trailers', () => {
    expect(decodeRequest([golden('responseBody')])).toEqual({
      kind: 'responseBody',
      body: { length: 9, chunks: [Buffer.from('data: x\n\n')] },
      endOfStream: false,
    });
    expect(decodeRequest([golden('requestTrailers')])).toEqual({ kind: 'requestTrailers' });
    expect(decodeRequest([golden('responseTrailers')])).toEqual({ kind: 'responseTrailers' });
  });

  test('takes a message without a known request for one of unknown kind', () => {
    expect(decodeRequest([])).toEqual({ kind: 'unknown' });
    // Field 15, two bytes.
    expect(decodeRequest([Buffer.from('7a021234', 'hex')])).toEqual({ kind: 'unknown' });
  });

  test('reads the dynamic metadata of the namespaces asked for, lists of text too, and how bodies are sent', () => {
    const message = Buffer.from(PEER, 'hex');

    expect(decodeRequest([message], new Set(['want']))).toMatchObject({
      peer: {
        metadata: new Map([
          [
            'want',
            new Map<string, string | string[]>([
              ['s', 'text'],
              ['l', ['a', 'b']],
            ]),
          ],
        ]),
        bodyModes: { request: 'FULL_DUPLEX_STREAMED', response: 'BUFFERED' },
      },
    });
    expect(decodeRequest([message])).toMatchObject({ peer: { metadata: new Map() } });
  });

  test('takes a protocol that is told and empty for one without bodies', () => {
    expect(decodeRequest([Buffer.from('12005a00', 'hex')])).toMatchObject({
      peer: { bodyModes: { request: 'NONE', response: 'NONE' } },
    });
  });

  test('does not depend on where the message is cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(GOLDEN_REQUESTS) as (keyof typeof GOLDEN_REQUESTS)[])),
        fc.array(fc.nat(400), { maxLength: 12 }),
        (name, cuts) => {
          const message = golden(name);
          expect(decodeRequest(cut(message, cuts))).toEqual(decodeRequest([message]));
        },
      ),
    );
  });

  test('hands a large body on in the pieces in which it came', () => {
    const body = Buffer.alloc(200_000, 'a');
    const message = requestBodyMessage(body);

    const decoded = decodeRequest(cut(message, [70_000, 140_000]));

    if (decoded?.kind !== 'requestBody') throw new Error('not a body');
    expect(decoded.body.length).toBe(200_000);
    expect(decoded.body.chunks).toHaveLength(3);
    expect(decoded.body.chunks[1]?.buffer).toBe(message.buffer);
    expect(Buffer.concat(decoded.body.chunks).equals(body)).toBe(true);
  });

  test('finds every truncation of a message malformed', () => {
    const message = golden('requestBody');
    for (let length = 1; length < message.length; length++) {
      expect(decodeRequest([message.subarray(0, length)])).toBeUndefined();
    }
  });

  test('never throws and never takes long, whatever the bytes are', () => {
    const flipped = fc
      .tuple(
        fc.constantFrom(...Object.values(GOLDEN_REQUESTS)),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 4 }),
      )
      .map(([hex, flips]) => {
        const bytes = Buffer.from(hex, 'hex');
        for (const [at, mask] of flips) bytes[at % bytes.length]! ^= mask;
        return bytes;
      });
    const random = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.oneof(flipped, random), fc.array(fc.nat(400), { maxLength: 5 }), (bytes, cuts) => {
        const whole = decodeRequest([bytes]);
        expect(decodeRequest(cut(bytes, cuts))).toEqual(whole);
      }),
      { numRuns: 2000 },
    );
  });
});

/** The bytes in pieces, some of them empty. */
function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const ends = [...at.map((end) => Math.min(end, bytes.length)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}
