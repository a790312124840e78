import fc from 'fast-check';
import { FirstTokenWatch } from '../../../../runtime/body-router/response/first-token';
import { bodyFrom } from '../fixtures';

/** Bytes of the text that had passed with the first token; undefined where none was seen. */
function seenAfter(text: string, cuts: readonly number[] = []): number | undefined {
  const watch = new FirstTokenWatch();
  let passed = 0;
  let seen: number | undefined;
  for (const chunk of bodyFrom(text, cuts).chunks) {
    passed += chunk.length;
    if (!watch.push(chunk)) continue;
    expect(seen).toBeUndefined();
    seen = passed;
  }
  return seen;
}

const bytes = (text: string) => Array.from(text, (_, index) => index);
const TOKEN = 'data: {"choices":[{"delta":{"content":"é"}}]}';

test.each(['\n', '\r', '\r\n'])(
  'is the end of the first data line, in any chunks, with lines that end in %j',
  (end) => {
    const before = [': keep-alive', '', 'retry: 10', 'id: 1', 'data:', ''].join(end);
    const text = `${before}${end}${TOKEN}${end}${end}${TOKEN}${end}${end}data: [DONE]${end}${end}`;
    const line = Buffer.byteLength(`${before}${end}${TOKEN}`);
    expect(seenAfter(text, [...Buffer.from(text).keys()])).toBe(line + 1);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 8 }), (cuts) => {
        const chunkEnds = [...cuts.map((cut) => cut % Buffer.byteLength(text)), Buffer.byteLength(text)];
        expect(seenAfter(text, cuts)).toBe(Math.min(...chunkEnds.filter((at) => at > line)));
      }),
    );
  },
);

test.each([
  ['comments', ': a\n\n: b\n\n'],
  ['an error', 'data: {"error": {"message":"x"}}\n\ndata: [DONE]\n\n'],
  ['an end without an answer', 'data: [DONE]\n\n'],
  ['a line that is not over', TOKEN],
  ['an answer that is announced', 'event: response.created\ndata: {"type":"response.created"}\n\n'],
  ['a ping', 'event: ping\r\ndata: {"type":"ping"}\r\n\r\n'],
  ['a field of another name', 'database: {}\n\n'],
])('%s carries no token', (_, text) => {
  expect(seenAfter(text, bytes(text))).toBeUndefined();
});

test.each([
  'event: response.created\ndata: {}\n\nevent: response.output_text.delta\ndata: {"delta":"a"}\n\n',
  'event: message_start\ndata: {}\n\nevent: ping\ndata: {}\n\nevent: content_block_delta\ndata: {"delta":"a"}\n\n',
  'event: ping\ndata: {}\n\ndata: {"error":null,"text":"a"}\n\n',
])('named events count by their names: %j', (text) => {
  expect(seenAfter(text, bytes(text))).toBe(text.length - 1);
});

test('a long line is seen at its end, and a stream that shows none in a MiB is let go', () => {
  const long = `data: {"text":"${'x'.repeat(100_000)}"}\n`;
  expect(seenAfter(long)).toBe(long.length);
  const idle = `:${'x'.repeat(1023)}`.repeat(1024);
  expect(seenAfter(`${idle}\n${TOKEN}\n`, [idle.length])).toBeUndefined();
});
