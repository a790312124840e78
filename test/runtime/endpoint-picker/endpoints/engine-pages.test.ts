import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { EngineType } from '../../../../lib/translate/gateway-state';
import { parseMetrics } from '../../../../runtime/endpoint-picker/endpoints/metrics-parser';
import { type EngineMetrics, NO_COUNTERS } from '../../../../runtime/endpoint-picker/engine-metrics';
import { parseWholePage } from '../support/reference-parser';

/** Whole pages of engines; the first lines of each tell how it came to be. */
const PAGES = join(__dirname, '../../../fixtures/engines');

const page = (name: string) => readFileSync(join(PAGES, `${name}.txt`));

const EXPECTED: ReadonlyArray<readonly [string, EngineType, EngineMetrics]> = [
  [
    'vllm-0.32.0',
    'vllm',
    {
      waiting: 4,
      running: 8,
      kvUsage: 0.0014648884548478236,
      adapters: { running: new Set(['tone']), waiting: new Set(['tone']), distinct: 1, slots: 1 },
      kvCapacityTokens: 32 * 32_768,
      counters: {
        // Of the 8 answered 2,128, of the 8 that run 80 each.
        promptTokens: 2768,
        // Twice the whole blocks of 466 tokens.
        cachedTokens: 2 * 14 * 32,
        generatedTokens: 846,
        steps: 230,
        firstTokenSum: 1.180008888244629,
        firstTokenCount: 16,
        interTokenSum: 12.43328269199992,
        interTokenCount: 830,
        queueSum: 0.0010860639995371457,
        prefillSum: 0.30683273099930375,
        decodeSum: 1.259882584992738,
        finishedCount: 8,
      },
    },
  ],
  [
    'vllm-v0',
    'vllm',
    {
      waiting: 3,
      running: 12,
      kvUsage: 0.8125,
      adapters: undefined,
      kvCapacityTokens: 16 * 27_447,
      counters: {
        ...NO_COUNTERS,
        promptTokens: 1_048_576,
        generatedTokens: 262_144,
        firstTokenSum: 62.5,
        firstTokenCount: 500,
        interTokenSum: 5232.875,
        interTokenCount: 261_644,
      },
    },
  ],
  [
    'sglang',
    'sglang',
    {
      waiting: 2826,
      running: 162,
      kvUsage: 0.28,
      adapters: undefined,
      kvCapacityTokens: 442_353,
      counters: {
        ...NO_COUNTERS,
        promptTokens: 8_128_902,
        cachedTokens: 61_024,
        generatedTokens: 7_557_572,
        firstTokenSum: 2_351_897.9474117756,
        firstTokenCount: 11_008,
        interTokenSum: 866_964.5791549598,
        interTokenCount: 7_400_757,
        queueSum: 5504.25,
        finishedCount: 11_008,
      },
    },
  ],
  [
    // Two data-parallel ranks: their requests and caches are added up, and each is counted once.
    'sglang-ranks',
    'sglang',
    {
      waiting: 3 + 5,
      running: 14 + 9,
      kvUsage: 0.625,
      adapters: undefined,
      kvCapacityTokens: 2 * 425_984,
      counters: {
        ...NO_COUNTERS,
        promptTokens: 81_289 + 711,
        cachedTokens: 20_512,
        generatedTokens: 76_000,
        firstTokenSum: 25,
        firstTokenCount: 100,
        interTokenSum: 1518,
        interTokenCount: 75_900,
        queueSum: 10,
        finishedCount: 100,
      },
    },
  ],
  [
    'tgi',
    'tgi',
    {
      waiting: 17,
      running: 24,
      kvUsage: Number.NaN,
      adapters: undefined,
      kvCapacityTokens: Number.NaN,
      counters: {
        ...NO_COUNTERS,
        promptTokens: 600_000,
        generatedTokens: 295_000,
        steps: 251_100,
        interTokenSum: 7500.25,
        interTokenCount: 250_000,
        queueSum: 595.5,
        finishedCount: 1190,
      },
    },
  ],
  [
    'trtllm-serve',
    'trtllm',
    {
      waiting: 6,
      running: 21,
      kvUsage: 0.4375,
      adapters: undefined,
      kvCapacityTokens: 32 * 6239,
      counters: {
        ...NO_COUNTERS,
        promptTokens: 196_608,
        cachedTokens: 73_728,
        generatedTokens: 30_720,
        firstTokenSum: 19.25,
        firstTokenCount: 96,
        interTokenSum: 1.425,
        interTokenCount: 95,
        queueSum: 4.5,
        prefillSum: 14.75,
        decodeSum: 461.25,
        finishedCount: 96,
      },
    },
  ],
  [
    // The requests that wait in Triton itself, for an ensemble counted in each of its models, are not read.
    'triton-tensorrt-llm',
    'triton',
    {
      waiting: 11,
      running: 19,
      kvUsage: 0.4875,
      adapters: undefined,
      kvCapacityTokens: 64 * 6239,
      counters: { ...NO_COUNTERS, promptTokens: 46_080, generatedTokens: 23_040, finishedCount: 90 },
    },
  ],
  [
    'openmetrics-hard',
    'vllm',
    {
      waiting: 7,
      running: 15,
      kvUsage: 0.5,
      adapters: { running: new Set(['org/tone', 'say "hi"']), waiting: new Set(['sql']), distinct: 3, slots: 4 },
      kvCapacityTokens: 16 * 1500,
      counters: {
        ...NO_COUNTERS,
        promptTokens: 1500,
        generatedTokens: 77,
        firstTokenSum: 1.25,
        firstTokenCount: 4,
      },
    },
  ],
];

test.each(EXPECTED)('%s: every signal of the page, and no other', (name, engine, expected) => {
  expect(parseMetrics(page(name), engine)).toEqual(expected);
});

test.each(EXPECTED)('%s: the same with lines that end in CRLF', (name, engine, expected) => {
  expect(parseMetrics(Buffer.from(page(name).toString().replaceAll('\n', '\r\n')), engine)).toEqual(expected);
});

test('every page is in the table', () => {
  expect(readdirSync(PAGES).sort()).toEqual(EXPECTED.map(([name]) => `${name}.txt`).sort());
});

describe('each page', () => {
  const names = EXPECTED.map(([name]) => name);

  test.each(names)('%s tells first how it came to be', (name) => {
    expect(page(name).toString()).toMatch(/^# (Recorded from|Composed after|Made up after) /);
  });

  test.each(names.filter((name) => name !== 'openmetrics-hard'))('%s is in the text format, line by line', (name) => {
    const lines = page(name).toString().split('\n');
    const samples = lines.filter((line) => line !== '' && !line.startsWith('#'));
    expect(parseWholePage(samples.join('\n'))).toHaveLength(samples.length);
  });
});

describe('whatever the bytes are', () => {
  const pieces = EXPECTED.flatMap(([name, engine]) =>
    page(name)
      .toString('latin1')
      .split('\n')
      .filter((_, index) => index % 7 === 0)
      .map((line) => ({ line, engine })),
  );
  const ENGINES = [...new Set(EXPECTED.map(([, engine]) => engine))];

  test('lines of pages cut, joined and damaged anywhere never throw, and give no number below zero', () => {
    const damaged = fc
      .tuple(fc.constantFrom(...pieces), fc.nat(), fc.string({ unit: 'binary', maxLength: 3 }), fc.nat({ max: 9 }))
      .map(([{ line }, at, inserted, removed]) => {
        const cut = at % (line.length + 1);
        return line.slice(0, cut) + inserted + line.slice(cut + removed);
      });
    fc.assert(
      fc.property(fc.array(damaged, { maxLength: 30 }), fc.constantFrom(...ENGINES), (lines, engine) => {
        const told = parseMetrics(Buffer.from(lines.join('\n'), 'latin1'), engine);
        for (const value of [told.waiting, told.running, told.kvUsage, told.kvCapacityTokens]) {
          expect(value < 0 || value === Number.POSITIVE_INFINITY).toBe(false);
        }
      }),
    );
  });

  test('any bytes never throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.constantFrom(...ENGINES), (bytes, engine) => {
        parseMetrics(Buffer.from(bytes), engine);
      }),
    );
  });

  test.each([
    ['one line without an end', (size: number) => `vllm:num_requests_waiting{a="${'x'.repeat(size)}`],
    ['quotes that open and close', (size: number) => `vllm:num_requests_waiting{${'a="",'.repeat(size / 5)}`],
    ['one name again and again', (size: number) => 'vllm:num_requests_waiting 1\n'.repeat(size / 28)],
    ['starts of names', (size: number) => 'vllm:num_requests_waiti\n'.repeat(size / 24)],
    ['labels that are none', (size: number) => 'vllm:lora_adapter_loaded{x} 1\n'.repeat(size / 30)],
    ['comments', (size: number) => '# TYPE vllm:x histogram\n'.repeat(size / 24)],
    [
      'a list of adapters',
      (size: number) => `vllm:lora_requests_info{running_lora_adapters="${'a,'.repeat(size / 2)}"} 1`,
    ],
  ])('%s: the bytes that are looked at grow as the page does', (_, make) => {
    const looks = (size: number) => bytesLookedAt(Buffer.from(make(size), 'latin1'));
    const [small, large] = [looks(4_000), looks(64_000)];
    expect(large).toBeLessThan(17 * small + 4_000);
  });
});

/** Bytes read singly, and searched from an offset. */
function bytesLookedAt(bytes: Buffer): number {
  let reads = 0;
  const counting = new Proxy(bytes, {
    get(target, property) {
      if (typeof property === 'string' && /^\d+$/.test(property)) reads += 1;
      const value = Reflect.get(target, property, target);
      if (property === 'indexOf') {
        return (wanted: string, from: number) => {
          const found = target.indexOf(wanted, from);
          reads += (found < 0 ? target.length : found) - from;
          return found;
        };
      }
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  parseMetrics(counting, 'vllm');
  return reads;
}
