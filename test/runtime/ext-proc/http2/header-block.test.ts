import { encodeHeaderBlock } from '../../../../runtime/ext-proc/http2/header-block';
import { HpackDecoder } from '../../../../runtime/ext-proc/http2/hpack-decoder';

test('a block reads back, and leaves the dynamic table empty', () => {
  const fields: [string, string][] = [
    [':status', '200'],
    [':status', '415'],
    ['content-type', 'application/grpc'],
    ['grpc-message', 'm'.repeat(126)],
    ['grpc-message', 'm'.repeat(127)],
    ['grpc-message', 'm'.repeat(5_000)],
    ['empty', ''],
  ];
  const decoder = new HpackDecoder();
  const read: [string, string][] = [];
  const sink = { field: (name: string, value: string) => read.push([name, value]) };

  expect(decoder.decode(encodeHeaderBlock(fields), sink)).toBe(true);
  expect(read).toEqual(fields);
  expect(decoder.decode(Buffer.from([0x80 + 62]), sink)).toBe(false);
});

test('a field of the static table takes one octet', () => {
  expect(encodeHeaderBlock([[':status', '200']])).toEqual(Buffer.from([0x88]));
});
