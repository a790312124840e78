import { readRecordingLines } from '../../../runtime/recording/read-lines';

const HEADER = '{"recording":1,"gateway":"ns/gw","created":"2026-01-01T00:00:00.000Z"}';
const PICK = '{"pick":1,"at":0,"scheduler":"ns/a","promptBytes":4,"outcome":"saturated"}';
const read = (...lines: string[]) => [...readRecordingLines(lines)];

test('gives every line in order', () => {
  expect(read(HEADER, '', PICK)).toMatchObject([{ recording: 1 }, { pick: 1 }]);
});

test('a line that was cut short ends a router, whose successor begins with a header', () => {
  expect(read(HEADER, PICK.slice(0, 20))).toHaveLength(1);
  expect(read(HEADER, PICK.slice(0, 20), HEADER, PICK)).toHaveLength(3);
});

test.each([
  [[HEADER, PICK.slice(0, 20), PICK], 'line 2 of the recording: is not JSON'],
  [[HEADER, '', '{"pick":"one"}', PICK], 'line 3 of the recording: pick: '],
  [[PICK], 'line 1: a recording begins with its header'],
  [[HEADER.replace('1', '2')], 'line 1 of the recording: recording: this version reads recordings of version 1 only'],
  [['kind: Pod'], 'line 1 of the recording: is not JSON'],
])('%j is refused with the number of the line', (lines, message) => {
  expect(() => read(...lines)).toThrow(message);
});
