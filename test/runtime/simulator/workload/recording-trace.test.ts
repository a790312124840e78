import { recordingPicker } from '../../../../runtime/recording/recording-picker';
import { parseRecording, readRecording } from '../../../../runtime/simulator/workload/recording-trace';
import { memoryRecorder, picked, REQUEST } from '../../recording/support';

const HEADER = '{"recording":1,"gateway":"ns/gw","created":"2026-01-01T00:00:00.000Z"}';
const pick = (number: number, at: number, fields: object = {}) =>
  JSON.stringify({ pick: number, at, scheduler: 'ns/a', promptBytes: 4000, outcome: 'picked', pod: 'p1', ...fields });
const end = (number: number, at: number, fields: object = {}) =>
  JSON.stringify({ end: number, at, status: 200, ...fields });
const requestsOf = (...lines: string[]) => [...readRecording([HEADER, ...lines])];

test('what a router has recorded is replayed', () => {
  const { recorder, clock, texts } = memoryRecorder();
  const picker = recordingPicker({ pick: () => picked() }, recorder);
  for (const prefixHashes of [[1, 2], [1, 3], []]) {
    clock.ms += 1000;
    const { ticket } = picker.pick({ ...REQUEST, prefixHashes, adapter: 'sql' }) as ReturnType<typeof picked>;
    clock.ms += 500;
    ticket.firstToken();
    ticket.done(200);
  }
  recorder.stop();
  const { requests, count, schedulers, dropped } = parseRecording(texts.join('').split('\n'));
  const [one, other, third] = requests;
  expect([count, dropped]).toEqual([3, 0]);
  expect(schedulers).toMatchObject([{ scheduler: 'ns/a', pods: 1, weights: { queue: 2 } }, { scheduler: 'ns/b' }]);
  expect([one, other, third]).toMatchObject([
    { at: 0, promptTokens: 250, outputTokens: 1, maxOutputTokens: 20, adapter: 'a1', connection: 0 },
    { at: 1.5, connection: 1 },
    { at: 3, prefixHashes: [], blocks: [] },
  ]);
  expect([one!.prefixHashes[0], one!.prefixHashes[1] === other!.prefixHashes[1]]).toEqual([
    other!.prefixHashes[0],
    false,
  ]);
  expect(one!.blocks).toHaveLength(8);
  expect(Array.from(one!.blocks).filter((id, index) => id === other!.blocks[index])).toHaveLength(4);
  expect([...requests]).toEqual([one, other, third]);
});

test('the tokens of an answer follow from its duration after the first one', () => {
  const tokens = requestsOf(
    pick(1, 0),
    pick(2, 0),
    pick(3, 0, { maxOutputTokens: 5 }),
    end(1, 2.5, { firstToken: 1.5 }),
    end(2, 1.15),
    end(3, 10),
  ).map(({ outputTokens }) => outputTokens);
  expect(tokens).toEqual([41, 41, 5]);
});

test('an answer that did not end well has the median of the others', () => {
  const tokens = requestsOf(
    ...[pick(1, 0), pick(2, 0), pick(3, 0, { outcome: 'saturated' }), pick(4, 0), pick(5, 0), pick(6, 0)],
    ...[end(1, 1, { firstToken: 0 }), end(2, 2, { firstToken: 0 }), end(4, 3, { firstToken: 0 })],
    end(5, 9, { status: 503 }),
  ).map(({ outputTokens }) => outputTokens);
  expect(tokens).toEqual([41, 81, 81, 121, 81, 81]);
});

test('what the model server refused is no work', () => {
  expect(requestsOf(pick(1, 0), end(1, 1, { status: 422 }), pick(2, 5)).map(({ at }) => at)).toEqual([0]);
});

test('requests come in order of their arrival, also where they were decided in another', () => {
  expect(requestsOf(pick(1, 5), pick(2, 4), pick(3, 6)).map(({ at }) => at)).toEqual([0, 1, 2]);
});

test('one scheduler may be taken alone', () => {
  const lines = [HEADER, pick(1, 0), pick(2, 1, { scheduler: 'ns/b' })];
  expect(parseRecording(lines).count).toBe(2);
  expect(parseRecording(lines, 'ns/b').count).toBe(1);
});

test('a router that starts again goes on at its time of day, with pods, adapters and requests of its own', () => {
  const later = HEADER.replace('00:00:00', '00:01:00');
  const lines = [
    HEADER,
    pick(1, 0, { adapter: 'a1' }),
    '{"pick":2,"at',
    later,
    pick(1, 1, { adapter: 'a1' }),
    end(1, 2),
  ];
  expect([...readRecording(lines)]).toMatchObject([
    { at: 0, adapter: 'a1', outputTokens: 35 },
    { at: 61, adapter: 'a1-1', outputTokens: 35 },
  ]);
});

test('the last line may be cut short, any other is an error that names it', () => {
  expect(requestsOf(pick(1, 0), '{"end":1,').length).toBe(1);
  expect(() => requestsOf(pick(1, 0), '{"end":1,', pick(2, 0))).toThrow('line 3 of the recording: is not JSON');
  expect(() => parseRecording(['{"pick'])).toThrow('line 1 of the recording: is not JSON');
  expect(() => parseRecording([pick(1, 0)])).toThrow('line 1: a recording begins with its header');
});

test('lines that were not written are counted', () => {
  expect(parseRecording([HEADER, '{"dropped":3,"at":1}', '{"dropped":4,"at":2}']).dropped).toBe(7);
});
