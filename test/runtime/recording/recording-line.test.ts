import { overloadSchema } from '../../../lib/api/inference-gateway-config/overload';
import { durationToMilliseconds } from '../../../lib/api/schema/duration';
import {
  DEFAULT_MAX_QUEUE_SECONDS,
  decodeLine,
  encodeLine,
  type RecordingLine,
} from '../../../runtime/recording/recording-line';

const LINES: RecordingLine[] = [
  { recording: 1, gateway: 'ns/gw', created: '2026-01-01T00:00:00.000Z' },
  { pick: 1, at: 0.5, scheduler: 'ns/a', promptBytes: 9, adapter: 'a1', prefix: 'AAAA', outcome: 'picked', pod: 'p1' },
  { end: 1, at: 1.5, firstToken: 0.25, status: 200 },
  { dropped: 3, at: 2 },
  { stopped: 'closed', at: 3 },
];

test.each(LINES)('%j comes back as it was written, in one line', (line) => {
  const text = encodeLine(line);
  expect(text.match(/\n/g)).toHaveLength(1);
  expect(decodeLine(text)).toEqual(line);
});

test('members of a later writer are passed over', () => {
  expect(decodeLine('{"end":1,"at":2,"later":true}')).toEqual({ end: 1, at: 2 });
});

test.each([
  ['{"pick":1,', 'is not JSON'],
  ['[]', 'is no line of a recording'],
  ['{"constructor":1}', 'is no line of a recording'],
  ['{"recording":2,"gateway":"a/b","created":"2026-01-01T00:00:00Z"}', 'recording: '],
  ['{"pick":1,"at":-1,"scheduler":"a","promptBytes":1,"outcome":"picked"}', 'at: '],
])('%s is refused with what is wrong', (text, message) => {
  expect(() => decodeLine(text)).toThrow(message);
});

test('schedulers of the first recordings let requests wait as they do by default', () => {
  const weights = { queue: 1 };
  expect(decodeLine(JSON.stringify({ fleet: [{ scheduler: 'ns/a', pods: 1, weights }], at: 0 }))).toMatchObject({
    fleet: [{ maxQueueTime: 30 }],
  });
});

test('what stands for a gateway that says nothing is the default of its field', () => {
  expect(durationToMilliseconds(overloadSchema.parse({}).maxQueueTime)).toBe(DEFAULT_MAX_QUEUE_SECONDS * 1000);
});
