import { ResponsePass, type ResponseWishes } from '../../../runtime/gie-picker/response-pass';

const JSON_HEADERS = { ':status': '200', 'content-type': 'application/json' };
const NOTHING: ResponseWishes = { askedModel: undefined, firstToken: undefined, usage: false };
const pass = (
  mode: ConstructorParameters<typeof ResponsePass>[1],
  wishes: Partial<ResponseWishes>,
  headers: Record<string, string> = JSON_HEADERS,
) => new ResponsePass(new Map(Object.entries(headers)), mode, { ...NOTHING, ...wishes });

test('a body in which a model is set back loses its length, and is asked for where it would not come', () => {
  expect(pass('NONE', { askedModel: 'a' }).headers()).toEqual({
    kind: 'continue',
    removeHeaders: ['content-length'],
    streamResponseBody: true,
  });
});

test('no body is asked for to count its tokens', () => {
  expect(pass('NONE', { usage: true }).headers()).toEqual({ kind: 'continue' });
});

test('a body that is not needed is asked away, but not where that is not heeded', () => {
  expect(pass('STREAMED', {}).headers()).toEqual({ kind: 'continue', skipResponseBody: true });
  expect(pass('FULL_DUPLEX_STREAMED', {}).headers()).toEqual({ kind: 'continue' });
});

test('before trailers nothing is held back where it could not be sent after them', () => {
  const chunk = Buffer.from('{"id":"1",');
  const headers = { ...JSON_HEADERS, trailer: 'x-t' };
  expect(pass('STREAMED', { askedModel: 'a' }, headers).body(chunk, false)).toEqual({ kind: 'continue' });

  const duplex = pass('FULL_DUPLEX_STREAMED', { askedModel: 'a' }, headers);
  expect(duplex.body(chunk, false)).toEqual({ kind: 'streamed', body: { length: 0, chunks: [] } });
  expect(duplex.trailers()).toEqual({ kind: 'streamed', body: { length: 10, chunks: [chunk] } });
});

test('the first token of a stream is told when it passes', () => {
  let told = 0;
  const firstToken = () => {
    told++;
  };
  const stream = pass(
    'FULL_DUPLEX_STREAMED',
    { firstToken },
    { ':status': '200', 'content-type': 'text/event-stream' },
  );
  stream.body(Buffer.from(': alive\n\ndata: {"a"'), false);
  expect(told).toBe(0);
  stream.body(Buffer.from(':1}\n\n'), false);
  expect(told).toBe(1);
});
