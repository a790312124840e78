import { AZURE_HEADER } from '../../../../runtime/simulator/workload/azure-trace';
import { readTrace } from '../../../../runtime/simulator/workload/read-trace';
import { traceFormat } from '../../../../runtime/simulator/workload/trace-format';

const MOONCAKE = '{"timestamp": 27000, "input_length": 600, "output_length": 5, "hash_ids": [3, 4]}';

test('the first line tells the format', () => {
  expect(traceFormat(AZURE_HEADER)).toBe('azure');
  expect(traceFormat(MOONCAKE)).toBe('mooncake');
  expect(traceFormat('{"recording":1}')).toBe('recording');
});

test.each(['hello', '', 'null', '[]', '{"a":1}'])('%j is no trace, and the error names what is', (line) => {
  expect(() => traceFormat(line)).toThrow(/^line 1: not a trace.*Azure.*Mooncake.*"recording"/);
});

test('requests can be passed over again and again', () => {
  const azure = readTrace([AZURE_HEADER, '2023-11-16 18:15:46,374,44']);
  const mooncake = readTrace([MOONCAKE]);
  for (const { requests: workload } of [azure, mooncake]) {
    const first = [...workload];
    expect(first).toHaveLength(1);
    expect([...workload]).toEqual(first);
  }
});

test('an empty trace is refused', () => {
  expect(() => readTrace([])).toThrow('the trace is empty');
});

test('a recording is read once for all passes, and tells what it lacks', () => {
  let passes = 0;
  const texts = [
    '{"recording":1,"gateway":"ns/gw","created":"2026-01-01T00:00:00.000Z"}',
    '{"pick":1,"at":1,"scheduler":"ns/a","promptBytes":4000,"outcome":"picked","pod":"p1"}',
    '{"dropped":3,"at":2}',
  ];
  const { requests, dropped } = readTrace({
    [Symbol.iterator]() {
      passes += 1;
      return texts[Symbol.iterator]();
    },
  });
  const before = passes;
  expect([[...requests].length, [...requests].length, dropped]).toEqual([1, 1, 3]);
  expect(passes).toBe(before);
});
