import fc from 'fast-check';
import { usageWatchFor } from '../../../../runtime/gie-picker/usage/usage-watch';

const SSE = 'text/event-stream';
const JSON_TYPE = 'application/json; charset=utf-8';

/** What is read of a response that comes in chunks which end at the given offsets. */
function usageOf(type: string, text: string, cuts: readonly number[] = []) {
  const bytes = Buffer.from(text);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  const watch = usageWatchFor(
    new Map([
      [':status', '200'],
      ['content-type', type],
    ]),
  )!;
  for (const [index, end] of ends.entries()) watch.push(bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
  watch.end();
  return watch.usage;
}

const cuts = fc.array(fc.nat(), { maxLength: 8 });

const CHAT = [
  'data: {"choices":[{"delta":{"content":"é \\"usage\\":{\\"prompt_tokens\\":1}"}}],"usage":null}\r\n\r\n',
  'data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":8}}}\n\n',
  'data: [DONE]\n\n',
].join('');

const RESPONSES = [
  'event: response.created\ndata: {"type":"response.created","response":{"usage":null}}\n\n',
  `event: response.completed\ndata: {"type":"response.completed","response":{"output":"${'x'.repeat(5000)}",`,
  '"usage":{"input_tokens":3,"input_tokens_details":{"cached_tokens":0},"output_tokens":9}}}\n\n',
].join('');

const MESSAGES = [
  'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":25,"cache_read_input_tokens":4,"output_tokens":1}}}\n\n',
  'event: message_delta\ndata: {"type":"message_delta","delta":{},"usage":{"output_tokens":15}}\n\n',
].join('');

test.each([
  ['of a chat, in the chunk before [DONE]', CHAT, { input: 11, output: 5, cached: 8 }],
  ['of the Responses API, inside of response.completed', RESPONSES, { input: 3, output: 9, cached: 0 }],
  ['of the Messages API, split over two events, field by field', MESSAGES, { input: 25, output: 15, cached: 4 }],
])('a stream %s is counted wherever its chunks are cut', (_, text, expected) => {
  fc.assert(fc.property(cuts, (at) => expect(usageOf(SSE, text, at)).toEqual(expected)));
});

test('a JSON answer is counted wherever its chunks are cut and its usage stands', () => {
  const rest = `"id":"a","choices":[{"usage":{"prompt_tokens":1}}],"text":"${'y'.repeat(40_000)}"`;
  const usage = '"usage":{"prompt_tokens":7,"completion_tokens":2}';
  fc.assert(
    fc.property(cuts, fc.boolean(), (at, first) => {
      const text = first ? `{${usage},${rest}}` : `{${rest},${usage}}`;
      expect(usageOf(JSON_TYPE, text, at)).toEqual({ input: 7, output: 2 });
    }),
    { numRuns: 30 },
  );
});

test.each([
  ['no JSON', JSON_TYPE, 'no healthy upstream'],
  ['a usage of another kind', JSON_TYPE, '{"usage":"none"}'],
  ['counts that are no counts', JSON_TYPE, '{"usage":{"prompt_tokens":-1,"completion_tokens":1.5}}'],
  ['a usage longer than any', JSON_TYPE, `{"usage":{"a":"${'z'.repeat(20_000)}","prompt_tokens":1}}`],
  ['an event that is cut off', SSE, 'data: {"usage":{"prompt_tokens":1}'],
  ['a comment', SSE, ': "usage":{"prompt_tokens":1}\n\n'],
])('%s tells nothing', (_, type, text) => {
  expect(usageOf(type, text)).toBeUndefined();
});

test.each([
  ['an error', { ':status': '500', 'content-type': 'application/json' }],
  ['compressed', { ':status': '200', 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ['audio', { ':status': '200', 'content-type': 'audio/wav' }],
])('a response that is %s is not read', (_, headers) => {
  expect(usageWatchFor(new Map(Object.entries(headers)))).toBeUndefined();
});
