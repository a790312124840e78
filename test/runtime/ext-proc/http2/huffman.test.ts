import { decodeHuffman } from '../../../../runtime/ext-proc/http2/huffman';

const decode = (hex: string) => {
  const bytes = Buffer.from(hex, 'hex');
  return decodeHuffman(bytes, 0, bytes.length);
};

// RFC 7541, appendix C.4 and C.6.
test.each([
  ['f1e3c2e5f23a6ba0ab90f4ff', 'www.example.com'],
  ['a8eb10649cbf', 'no-cache'],
  ['25a849e95ba97d7f', 'custom-key'],
  ['25a849e95bb8e8b4bf', 'custom-value'],
  ['6402', '302'],
  ['d07abe941054d444a8200595040b8166e082a62d1bff', 'Mon, 21 Oct 2013 20:13:21 GMT'],
  [
    '94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
    'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
  ],
  ['', ''],
])('%s is %s', (hex, text) => {
  expect(decode(hex)).toBe(text);
});

test('reads only the octets from start to end', () => {
  const bytes = Buffer.from('ffa8eb10649cbfff', 'hex');
  expect(decodeHuffman(bytes, 1, 7)).toBe('no-cache');
});

test.each([
  ['padding of zeros', '640000'],
  ['padding of a whole octet', 'a8eb10649cbfff'],
  ['the end-of-string symbol', 'fffffffc'],
  ['a code that is cut off', 'ff'],
  ['a code of 28 bits that is cut off', 'fffffe'],
])('%s is malformed', (_what, hex) => {
  expect(decode(hex)).toBeUndefined();
});
