import { HeadReader } from '../../../../runtime/ext-proc/http2/head-reader';
import { REQUEST } from './frames';

/** Literals with indexing: `:path` and a value of one letter. */
const path = (value: string) => Buffer.concat([Buffer.from('4401', 'hex'), Buffer.from(value)]);
/** The newest and the second newest entry of the dynamic table. */
const NEWEST = Buffer.from([0xbe]);

test('a block that comes again is read once', () => {
  const reader = new HeadReader();

  const first = reader.request(REQUEST);

  expect(first?.complete).toBe(true);
  expect(reader.request(Buffer.from(REQUEST))).toBe(first);
});

test('a block that comes again after the table changed is read anew', () => {
  const reader = new HeadReader();
  reader.request(path('a'));
  expect(reader.request(NEWEST)?.path).toBe('a');

  reader.request(path('b'));

  expect(reader.request(NEWEST)?.path).toBe('b');
});

test('a block that changes the table is read each time', () => {
  const reader = new HeadReader();
  reader.request(path('a'));
  reader.request(path('b'));
  reader.request(path('b'));

  expect(reader.request(Buffer.from([0xbf]))?.path).toBe('b');
});

test('the table may also change by trailers, and by its size', () => {
  const reader = new HeadReader();
  reader.request(path('a'));
  reader.request(NEWEST);
  reader.trailers(Buffer.concat([Buffer.from('400178', 'hex'), Buffer.from('0179', 'hex')]));
  expect(reader.request(NEWEST)?.path).toBe('');

  reader.request(Buffer.from([0x20]));

  expect(reader.request(NEWEST)).toBeUndefined();
});
