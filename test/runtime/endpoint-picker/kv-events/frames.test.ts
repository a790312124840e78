import { readPublished, readReplayed, seqFrame } from '../../../../runtime/endpoint-picker/kv-events/frames';
import { END_OF_REPLAY_FRAMES, REMOVED_WITH_DIGEST, REPLAYED_FRAMES } from './support/vllm-messages';

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

test('the frames of vLLM 0.32.0 are read', () => {
  const message = { seq: 27, payload: REMOVED_WITH_DIGEST };
  expect(readPublished(REPLAYED_FRAMES.slice(1))).toEqual(message);
  expect(readReplayed(REPLAYED_FRAMES)).toEqual(message);
  expect(readReplayed(END_OF_REPLAY_FRAMES)).toBe('end');
});
