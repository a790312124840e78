import { recordingPicker } from '../../../../runtime/recording/recording-picker';
import { createConnections } from '../../../../runtime/simulator/workload/connections';
import { parseRecording } from '../../../../runtime/simulator/workload/recording-trace';
import { memoryRecorder, picked, REQUEST } from '../../recording/support';

const HEADER = '{"recording":1,"gateway":"ns/gw","created":"2026-01-01T00:00:00.000Z"}';
const pick = (number: number, at: number, fields: object = {}) =>
  JSON.stringify({ pick: number, at, scheduler: 'ns/a', promptBytes: 4000, outcome: 'picked', pod: 'p1', ...fields });
const end = (number: number, at: number, fields: object = {}) =>
  JSON.stringify({ end: number, at, status: 200, ...fields });
const requestsOf = (...lines: string[]) => [...parseRecording([HEADER, ...lines]).requests];

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
  const { requests, schedulers, dropped } = parseRecording(texts.join('').split('\n'));
  const [one, other, third] = requests;
  expect([requests.length, dropped]).toEqual([3, 0]);
  expect(schedulers).toMatchObject([{ scheduler: 'ns/a', pods: 1, weights: { queue: 2 } }, { scheduler: 'ns/b' }]);
  expect([one, other, third]).toMatchObject([
    { at: 0, promptTokens: 250, outputTokens: 1, maxOutputTokens: 20, adapter: 'a1' },
    { at: 1.5 },
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

test.each([400, 404, 422, 499])('what the model server refused with %d is no work', (status) => {
  expect(requestsOf(pick(1, 0), end(1, 1, { status }), pick(2, 5)).map(({ at }) => at)).toEqual([0]);
});

test.each([408, 429])('what the model server refused with %d is load, with an answer as the others', (status) => {
  const requests = requestsOf(pick(1, 0), end(1, 1, { status }), pick(2, 5), end(2, 7, { firstToken: 0 }));
  expect(requests).toMatchObject([
    { at: 0, outputTokens: 81 },
    { at: 5, outputTokens: 81 },
  ]);
});

test('requests are made whenever they are asked for, and none of their blocks is kept', () => {
  const prefix = Buffer.alloc(40, 7).toString('base64');
  const { requests } = parseRecording([HEADER, pick(1, 0, { prefix })]);
  const [first] = requests;
  expect(first!.blocks).toHaveLength(40);
  expect(requests.at(0)).toEqual(first);
  expect(requests.at(0)!.blocks).not.toBe(first!.blocks);
});

test('clients connect as those of other traces do', () => {
  const next = createConnections();
  const picks = Array.from({ length: 50 }, (_, index) => pick(index + 1, index));
  expect(requestsOf(...picks).map(({ connection }) => connection)).toEqual(picks.map(() => next()));
});

test('requests come in order of their arrival, also where they were decided in another', () => {
  expect(requestsOf(pick(1, 5), pick(2, 4), pick(3, 6)).map(({ at }) => at)).toEqual([0, 1, 2]);
});

test('one scheduler may be taken alone', () => {
  const lines = [HEADER, pick(1, 0), pick(2, 1, { scheduler: 'ns/b' })];
  expect(parseRecording(lines).requests.length).toBe(2);
  expect(parseRecording(lines, 'ns/b').requests.length).toBe(1);
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
  expect([...parseRecording(lines).requests]).toMatchObject([
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
