import fc from 'fast-check';
import { AZURE_HEADER, readAzureTrace } from '../../../../runtime/simulator/workload/azure-trace';

const read = (...lines: string[]) => [...readAzureTrace([AZURE_HEADER, ...lines])];

test('times count from the first request, sizes are as written and every prompt is private', () => {
  const [first, second] = read('2023-11-16 23:59:59.5000000,374,44', '2023-11-17 00:00:01.7500000,396,109', '');
  expect(first).toMatchObject({ at: 0, promptTokens: 374, outputTokens: 44, blocks: [] });
  expect(second).toMatchObject({ at: 2.25, promptTokens: 396, outputTokens: 109, blocks: [] });
  const hashes = [...first!.prefixHashes, ...second!.prefixHashes];
  expect(new Set(hashes).size).toBe(5 + 6);
});

test('times with an offset of zero are read too', () => {
  expect(read('2024-05-10 00:00:00.009930+00:00,2162,5')[0]).toMatchObject({ promptTokens: 2162 });
});

test('an answer without tokens is taken to have one, so that it has a first', () => {
  expect(read('2023-11-16 18:15:46,374,0')[0]).toMatchObject({ outputTokens: 1 });
});

test.each([
  ['2023-11-16 18:15:46,374', /^line 2: expected TIMESTAMP,ContextTokens,GeneratedTokens such as .*, got "2023/],
  ['2023-11-16 18:15:46,0,4', /^line 2: expected at least 1 context token/],
  ['2023-11-16 18:15:46,-3,4', /^line 2: expected TIMESTAMP/],
])('%s is refused with what is expected', (line, message) => {
  expect(() => read(line)).toThrow(message);
});

test('a line that is out of order is named', () => {
  expect(() => read('2023-11-16 18:15:46,1,1', '2023-11-16 18:15:45,1,1')).toThrow(/^line 3: .*sort the file by time/);
});

test('a file without the header is refused', () => {
  expect(() => [...readAzureTrace(['2023-11-16 18:15:46,1,1'])]).toThrow(/^line 1: expected the header TIMESTAMP/);
});

test('any line either is a request or an error that numbers it', () => {
  const line = fc.oneof(fc.string(), fc.stringMatching(/^2023-11-1\d 1\d:\d\d:\d\d(\.\d{1,7})?,\d{1,5},\d{1,5}$/));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
      try {
        for (const { at, promptTokens } of read(...lines)) {
          expect(at).toBeGreaterThanOrEqual(0);
          expect(promptTokens).toBeGreaterThanOrEqual(1);
        }
      } catch (error) {
        expect((error as Error).message).toMatch(/^line [2-6]: expected/);
      }
    }),
  );
});
