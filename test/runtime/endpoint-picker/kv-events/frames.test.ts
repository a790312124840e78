import { readPublished, readReplayed, seqFrame } from '../../../../runtime/endpoint-picker/kv-events/frames';

const payload = Buffer.from('p');
const topic = Buffer.from('kv');

test('a published message has three frames and a sequence number of eight bytes', () => {
  expect(readPublished([topic, seqFrame(2 ** 40 + 5), payload])).toEqual({ seq: 2 ** 40 + 5, payload });
  expect(readPublished([topic, seqFrame(5)])).toBeUndefined();
  expect(readPublished([topic, Buffer.from('12345'), payload])).toBeUndefined();
  expect(readPublished([topic, Buffer.alloc(8, 0xff), payload])).toBeUndefined();
});

test('a replayed message comes with and without topic, and ends with ones', () => {
  const empty = Buffer.alloc(0);
  expect(readReplayed([empty, seqFrame(5), payload])).toEqual({ seq: 5, payload });
  expect(readReplayed([empty, topic, seqFrame(5), payload])).toEqual({ seq: 5, payload });
  expect(readReplayed([empty, Buffer.alloc(8, 0xff), empty])).toBe('end');
  expect(readReplayed([payload])).toBeUndefined();
});
