import { createRequestSplitter } from './request-splitter';

const TEXT = [
  'POST /v1/a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n\r\n\r\nx',
  'GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n',
  'POST /v1/b HTTP/1.1\r\ncontent-length: 0\r\n\r\n',
].join('');

test('requests are found wherever the bytes are cut', () => {
  for (let size = 1; size <= TEXT.length; size++) {
    const found: string[] = [];
    const split = createRequestSplitter((method, path) => found.push(`${method} ${path}`));
    for (let at = 0; at < TEXT.length; at += size) split(Buffer.from(TEXT.slice(at, at + size)));
    expect(found).toEqual(['POST /v1/a', 'GET /metrics', 'POST /v1/b']);
  }
});

test('a request counts only once its body is complete', () => {
  const found: string[] = [];
  const split = createRequestSplitter((_, path) => found.push(path));
  split(Buffer.from('POST /a HTTP/1.1\r\ncontent-length: 2\r\n\r\nx'));
  expect(found).toEqual([]);
  split(Buffer.from('y'));
  expect(found).toEqual(['/a']);
});

test('a chunked request is refused', () => {
  const split = createRequestSplitter(() => {});
  expect(() => split(Buffer.from('POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n'))).toThrow('chunked');
});
