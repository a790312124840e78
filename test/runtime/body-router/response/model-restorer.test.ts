import fc from 'fast-check';
import { restorerFor } from '../../../../runtime/body-router/response/model-restorer';
import { bodyFrom } from '../fixtures';

function headersOf(contentType: string): Map<string, string> {
  return new Map([
    [':status', '200'],
    ['content-type', contentType],
  ]);
}

function restore(type: string, text: string, at: readonly number[] = [], chunks = bodyFrom(text, at).chunks): string {
  const restorer = restorerFor(headersOf(type), 'asked')!;
  const out = chunks.flatMap((chunk, i) => restorer.push(chunk, i === chunks.length - 1));
  return Buffer.concat(out).toString();
}
const JSON_TYPE = 'application/json; charset=utf-8';
const SSE = 'text/event-stream';
const anyCuts = () => fc.array(fc.nat(), { maxLength: 15 });

test('JSON: sets the model back and nothing else, in any chunks', () => {
  const text =
    '{"id": 1, "choices":[{"text":"\\"model\\":\\"served\\" \u{1f600}"}], "model" : "served", "usage":{"model":"served"}}';
  fc.assert(
    fc.property(anyCuts(), (at) => {
      expect(restore(JSON_TYPE, text, at)).toBe(text.replace('"model" : "served"', '"model" : "asked"'));
    }),
  );
});

test('JSON: a response in single bytes is held in one buffer, whatever it takes', () => {
  const text = `{"data":"${'x'.repeat(200_000)}","model":"served"}`;
  const restorer = restorerFor(headersOf(JSON_TYPE), 'asked')!;
  const alloc = jest.spyOn(Buffer, 'allocUnsafe');
  const out = [...text].flatMap((char) => restorer.push(Buffer.from(char), false));
  // It doubles.
  expect(alloc.mock.calls.length).toBeLessThan(30);
  alloc.mockRestore();
  expect(Buffer.concat(out).toString()).toBe(text.replace('served', 'asked'));
});

test.each(['[{"model":"served"}]', '{"model":5}', '{"data":[]}', 'not json', '{"model":"serv', ''])(
  'JSON: %s passes unchanged',
  (text) => {
    expect(restore(JSON_TYPE, text, [3])).toBe(text);
  },
);

test('JSON: what follows the model is not held', () => {
  const restorer = restorerFor(headersOf(JSON_TYPE), 'asked')!;
  expect(Buffer.concat(restorer.push(Buffer.from('{"model":"served"'), false)).toString()).toBe('{"model":"asked"');
  const later = Buffer.from(',"a":1');
  expect(restorer.push(later, false)).toEqual([later]);
});

test('JSON: a response that is large before its model passes unchanged', () => {
  const text = `{"data":"${'x'.repeat(8 * 1024 * 1024)}","model":"served"}`;
  expect(restore(JSON_TYPE, text, [8 * 1024 * 1024 + 5]) === text).toBe(true);
});

test('SSE: sets back the model of chat, Responses and Messages events, in any chunks', () => {
  const events = (model: string) =>
    [
      ': comment with "model":"served"',
      `data: {"id":"1","model":"${model}","choices":[{"delta":{"content":"\\"model\\":\\"served\\""}}]}`,
      '',
      'event: response.created',
      `data:{"type":"response.created","response":{"id":"r","model":"${model}"}}`,
      `data: {"type":"message_start","message":{"model":"${model}","role":"assistant"}}\r`,
      '\r',
      'data: {"text":"é","usage":{"model":"served"}}',
      'data: [DONE]',
      '',
      'data: {"model":"served", broken',
    ].join('\n');
  fc.assert(
    fc.property(anyCuts(), (at) => {
      expect(restore(SSE, events('served'), at)).toBe(events('asked'));
    }),
  );
});

test('SSE: a whole event is sent at once, a part of one is held', () => {
  const restorer = restorerFor(headersOf(SSE), 'asked')!;
  const push = (text: string) => Buffer.concat(restorer.push(Buffer.from(text), false)).toString();
  expect(push('data: {"model":"s"}\n\ndata: {"mo')).toBe('data: {"model":"asked"}\n\n');
  expect(push('del":"s"}')).toBe('');
  expect(push('\n\n')).toBe('data: {"model":"asked"}\n\n');
});

test('SSE: a long line in single bytes passes unchanged', () => {
  const restorer = restorerFor(headersOf(SSE), 'asked')!;
  const byte = Buffer.from('x');
  let bytes = 0;
  for (let i = 0; i < 1024 * 1024 + 10; i++) bytes += Buffer.concat(restorer.push(byte, false)).length;
  expect(bytes).toBe(1024 * 1024 + 10);
});

test('SSE: a line that is too long to hold passes unchanged, the next is set back again', () => {
  const long = `data: {"model":"served","text":"${'x'.repeat(1024 * 1024)}"}\n`;
  const text = `${long}data: {"model":"served"}\n`;
  expect(restore(SSE, text, [100, 500_000, 1024 * 1024 + 10]) === `${long}data: {"model":"asked"}\n`).toBe(true);
});

test.each([
  [{ ':status': '404', 'content-type': 'application/json' }],
  [{ ':status': '200', 'content-type': 'audio/mpeg' }],
  [{ ':status': '200', 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  [{ 'content-type': 'application/json' }],
])('a response %j is left alone', (headers) => {
  expect(restorerFor(new Map(Object.entries(headers)), 'asked')).toBeUndefined();
});
