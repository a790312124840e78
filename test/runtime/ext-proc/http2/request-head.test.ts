import { RequestHead } from '../../../../runtime/ext-proc/http2/request-head';

type Fields = readonly (readonly [string, string])[];

const PSEUDO: Fields = [
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', '/a'],
  [':authority', 'host'],
];

function head(fields: Fields, pseudoAllowed = true): RequestHead {
  const result = new RequestHead(pseudoAllowed);
  for (const [name, value] of fields) result.field(name, value);
  return result;
}

test('tells what a server has to know', () => {
  const request = head([...PSEUDO, ['content-type', 'application/grpc'], ['content-length', '12'], ['te', 'trailers']]);

  expect(request).toMatchObject({
    complete: true,
    tooLarge: false,
    method: 'POST',
    path: '/a',
    contentType: 'application/grpc',
    contentLength: 12,
  });
});

test.each<[string, Fields]>([
  ['a pseudo header after another', [...PSEUDO.slice(1), ['x', 'y'], PSEUDO[0]!]],
  ['a pseudo header twice', [...PSEUDO, [':path', '/b']]],
  ['an authority twice', [...PSEUDO, [':authority', 'other']]],
  ['an unknown pseudo header', [...PSEUDO, [':protocol', 'x']]],
  ['a pseudo header of a response', [...PSEUDO, [':status', '200']]],
  ['no method', PSEUDO.slice(1)],
  ['no path', [...PSEUDO.slice(0, 2), ...PSEUDO.slice(3)]],
  ['an empty path', [...PSEUDO.slice(0, 2), [':path', '']]],
  ['a name in upper case', [...PSEUDO, ['X-a', 'y']]],
  ['an empty name', [...PSEUDO, ['', 'y']]],
  ['a name with a blank', [...PSEUDO, ['x y', 'z']]],
  ['a name with a colon', [...PSEUDO, ['x:y', 'z']]],
  ['a line break in a value', [...PSEUDO, ['x', 'a\r\nb: c']]],
  ['a header of HTTP/1', [...PSEUDO, ['connection', 'close']]],
  ['te other than trailers', [...PSEUDO, ['te', 'gzip']]],
  ['a content-length that is no number', [...PSEUDO, ['content-length', '-1']]],
])('%s makes no request', (_what, fields) => {
  expect(head(fields).complete).toBe(false);
});

test('trailers hold no pseudo header', () => {
  expect(head([['grpc-status', '0']], false).malformed).toBe(false);
  expect(head([[':path', '/']], false).malformed).toBe(true);
});

test('a list above 64 KiB is too large, however few bytes it took on the wire', () => {
  expect(head([...PSEUDO, ['x', 'y'.repeat(65_536)]]).tooLarge).toBe(true);
  expect(head([...PSEUDO, ...Array.from({ length: 2_000 }, () => ['x', 'y'] as const)]).tooLarge).toBe(true);
});
