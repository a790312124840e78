import { once } from 'node:events';
import { connect } from 'node:http2';
import { createServer } from 'node:net';
import fc from 'fast-check';
import { FRAME } from '../../../../runtime/ext-proc/http2/frame';
import { FrameParser } from '../../../../runtime/ext-proc/http2/frame-parser';
import { HeaderBlockReader } from '../../../../runtime/ext-proc/http2/header-block-reader';
import { HpackDecoder } from '../../../../runtime/ext-proc/http2/hpack-decoder';
import { settings } from './frames';

type Fields = [name: string, value: string][];

function decode(decoder: HpackDecoder, block: Buffer): Fields | undefined {
  const fields: Fields = [];
  return decoder.decode(block, { field: (name, value) => fields.push([name, value]) }) ? fields : undefined;
}

const decodeHex = (decoder: HpackDecoder, hex: string) => decode(decoder, Buffer.from(hex.replaceAll(' ', ''), 'hex'));

const REQUESTS: Fields[] = [
  [
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', '/'],
    [':authority', 'www.example.com'],
  ],
  [
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', '/'],
    [':authority', 'www.example.com'],
    ['cache-control', 'no-cache'],
  ],
  [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', '/index.html'],
    [':authority', 'www.example.com'],
    ['custom-key', 'custom-value'],
  ],
];

describe('RFC 7541, appendix C', () => {
  test.each([
    [
      'C.2.1: literal with indexing',
      '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572',
      'custom-key',
      'custom-header',
    ],
    ['C.2.2: literal without indexing', '040c 2f73 616d 706c 652f 7061 7468', ':path', '/sample/path'],
    ['C.2.3: literal never indexed', '1008 7061 7373 776f 7264 0673 6563 7265 74', 'password', 'secret'],
    ['C.2.4: indexed', '82', ':method', 'GET'],
  ])('%s', (_name, hex, name, value) => {
    expect(decodeHex(new HpackDecoder(), hex)).toEqual([[name, value]]);
  });

  test('C.3: requests without Huffman', () => {
    const decoder = new HpackDecoder();
    const blocks = [
      '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
      '8286 84be 5808 6e6f 2d63 6163 6865',
      '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
    ];
    expect(blocks.map((block) => decodeHex(decoder, block))).toEqual(REQUESTS);
  });

  test('C.4: requests with Huffman', () => {
    const decoder = new HpackDecoder();
    const blocks = [
      '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
      '8286 84be 5886 a8eb 1064 9cbf',
      '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
    ];
    expect(blocks.map((block) => decodeHex(decoder, block))).toEqual(REQUESTS);
  });

  test.each([
    [
      'C.5: responses without Huffman, and evictions',
      [
        '4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '4803 3330 37c1 c0bf',
        '88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31',
      ],
    ],
    [
      'C.6: responses with Huffman, and evictions',
      [
        '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
        '4883 640e ffc1 c0bf',
        '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
      ],
    ],
  ])('%s', (_name, blocks) => {
    const decoder = new HpackDecoder();
    // The examples are for a table of 256 bytes.
    expect(decodeHex(decoder, '3fe101')).toEqual([]);
    const location = ['location', 'https://www.example.com'];
    expect(blocks.map((block) => decodeHex(decoder, block))).toEqual([
      [[':status', '302'], ['cache-control', 'private'], ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'], location],
      [[':status', '307'], ['cache-control', 'private'], ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'], location],
      [
        [':status', '200'],
        ['cache-control', 'private'],
        ['date', 'Mon, 21 Oct 2013 20:13:22 GMT'],
        location,
        ['content-encoding', 'gzip'],
        ['set-cookie', 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'],
      ],
    ]);
  });
});

describe('a malformed block', () => {
  test.each([
    ['index 0', '80'],
    ['an index of an entry that is not there', 'be'],
    ['a name of an entry that is not there', '7f00 0161'],
    ['a cut integer', 'ff'],
    ['an integer without end', 'ff ffff ffff ffff ffff 01'],
    ['a cut string', '0005 6162'],
    ['a string without its length', '00'],
    ['a name without a value', '0001 61'],
    ['malformed Huffman', '0001 6181 00'],
    ['a table larger than the limit', '3fe2 1f'],
    ['a table size after a field', '8220'],
  ])('with %s is refused', (_what, hex) => {
    expect(decodeHex(new HpackDecoder(), hex)).toBeUndefined();
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 4 }), (blocks) => {
        const decoder = new HpackDecoder();
        for (const block of blocks) decode(decoder, Buffer.from(block));
      }),
      { numRuns: 2_000 },
    );
  });
});

test('the table is emptied by an entry larger than itself, and by its size 0', () => {
  const decoder = new HpackDecoder();
  const large = Buffer.concat([Buffer.from('400161', 'hex'), Buffer.from('7fc11f', 'hex'), Buffer.alloc(4_160, 'x')]);
  expect(decodeHex(decoder, '4001 6101 62')).toEqual([['a', 'b']]);
  expect(decodeHex(decoder, 'be')).toEqual([['a', 'b']]);
  expect(decode(decoder, large)).toHaveLength(1);
  expect(decodeHex(decoder, 'be')).toBeUndefined();

  const other = new HpackDecoder();
  expect(decodeHex(other, '4001 6101 62')).toEqual([['a', 'b']]);
  expect(decodeHex(other, '20be')).toBeUndefined();
});

test("reads what Node's encoder makes of any headers, on one connection", async () => {
  const decoded: Fields[] = [];
  const server = createServer((socket) => {
    const decoder = new HpackDecoder();
    const blocks = new HeaderBlockReader();
    const parser = new FrameParser({
      frameBegins: () => true,
      frame: (type, flags, streamId, bytes, start, end) => {
        if (type !== FRAME.HEADERS && type !== FRAME.CONTINUATION) return;
        const block =
          type === FRAME.HEADERS
            ? blocks.headers(flags, streamId, bytes, start, end)
            : blocks.continuation(flags, bytes, start, end);
        if (Buffer.isBuffer(block)) decoded.push(decode(decoder, block) ?? [['malformed', '']]);
      },
      data: () => {},
      dataEnds: () => {},
      fault: () => {},
    });
    socket.on('error', () => {});
    socket.on('data', (chunk) => parser.push(chunk));
    socket.write(settings());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => {});

  // Names from a few, so that entries are found again; values of any characters that a header may hold.
  const name = fc.oneof(
    fc.constantFrom('x-a', 'x-b', 'accept', 'user-agent', 'grpc-timeout', 'x-very-long-name-of-a-header'),
    fc.stringMatching(/^[a-z0-9!#$%&'*+.^_`|~-]{1,20}$/).map((text) => `x-${text}`),
  );
  const value = fc.oneof(
    fc.constantFrom('', 'trailers', '100m', 'a'.repeat(3_000)),
    fc.stringMatching(/^[\x20-\x7e]{0,60}$/).map((text) => text.trim()),
    fc.stringMatching(/^[\x80-\xff]{0,40}$/),
  );
  const headers = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 12 });
  const sent: Fields[] = [];
  for (const fields of fc.sample(headers, { numRuns: 300, seed: 7 })) {
    const all: Fields = [[':method', 'POST'], [':path', '/'], [':scheme', 'http'], [':authority', 'host'], ...fields];
    sent.push(all);
    const stream = session.request(Object.fromEntries(all), { endStream: true });
    stream.on('error', () => {});
  }
  while (decoded.length < sent.length) await new Promise((resolve) => setTimeout(resolve, 5));
  session.destroy();
  server.close();

  expect(decoded).toEqual(sent);
});
