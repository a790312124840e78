import type { Load } from './load-generator';
import type { Cell, Sample, ScrapeSample } from './measurement';
import { type Spread, spread } from './quantiles';

/** Figures of one run, ready to be printed or judged. */
export interface Results {
  readonly samples: readonly Sample[];
  readonly scrapes: readonly ScrapeSample[];
}

const LEG_LABEL = {
  alone: '(a) Envoy alone',
  empty: '(c) empty processor',
  gateway: '(b) gateway',
  split: '(d) picker apart',
} as const;
const LEG_ORDER = ['alone', 'empty', 'gateway', 'split'] as const;

/** The cells of a run in their order, each once. */
export function cellsOf(results: Results): readonly Cell[] {
  const cells = new Map<string, Cell>();
  for (const { cell } of results.samples) cells.set(JSON.stringify(cell), cell);
  return [...cells.values()];
}

/** The rounds of one leg in one cell, by round. */
export function roundsOf(results: Results, cell: Cell, leg: Sample['leg']): readonly Sample[] {
  const key = JSON.stringify(cell);
  return results.samples.filter((sample) => sample.leg === leg && JSON.stringify(sample.cell) === key);
}

/** One figure of a leg compared with another leg's in the same round, over the rounds. */
export function compared(
  results: Results,
  cell: Cell,
  [leg, base]: readonly [Sample['leg'], Sample['leg']],
  compare: (sample: Sample, base: Sample) => number,
): Spread | undefined {
  const bases = new Map(roundsOf(results, cell, base).map((sample) => [sample.round, sample]));
  return spread(
    roundsOf(results, cell, leg).map((sample) => {
      const other = bases.get(sample.round);
      return other && compare(sample, other);
    }),
  );
}

/** CPU of the processor for each request without the part that its scrapes cost. */
export function netProcessorMicros(results: Results, sample: Sample): number | undefined {
  if (sample.processorMicros === undefined) return undefined;
  const scrape = results.scrapes.find((one) => one.pods === sample.cell.pods && one.working);
  return sample.processorMicros - sample.scrapesPerRequest * (scrape?.microsPerScrape ?? 0);
}

export function loadTable(results: Results): string {
  const rows = cellsOf(results).flatMap((cell) =>
    LEG_ORDER.map((leg) => {
      const rounds = roundsOf(results, cell, leg);
      const sum = (figure: (sample: Sample) => number) => rounds.reduce((total, sample) => total + figure(sample), 0);
      const added = (figure: 'p50Ms' | 'p99Ms') =>
        leg === 'alone' ? undefined : compared(results, cell, [leg, 'alone'], (a, b) => a[figure] - b[figure]);
      return [
        ...[String(cell.pods), bodyLabel(cell.bodyBytes), loadLabel(cell.load), LEG_LABEL[leg]],
        `${sum((sample) => sample.failed)}/${sum((sample) => sample.completed + sample.failed)}`,
        text(added('p50Ms'), 2),
        text(added('p99Ms'), 1),
        ...COLUMNS.map(([, digits, figure]) => text(spread(rounds.map((sample) => figure(sample, results))), digits)),
      ];
    }),
  );
  const heads = ['pods', 'body', 'load', 'leg', 'failed', 'added p50 ms', 'added p99 ms'];
  return markdown([...heads, ...COLUMNS.map(([head]) => head)], rows);
}

/** Heading, digits after the point, and the figure of one round. */
const COLUMNS: ReadonlyArray<readonly [string, number, (sample: Sample, results: Results) => number | undefined]> = [
  ['p50 ms', 2, (sample) => sample.p50Ms],
  ['p99 ms', 1, (sample) => sample.p99Ms],
  ['req/s', 0, (sample) => sample.perSecond],
  ['Envoy µs/req', 0, (sample) => sample.envoyMicros],
  ['processor µs/req', 0, (sample) => sample.processorMicros],
  ['net of scraping', 0, (sample, results) => netProcessorMicros(results, sample)],
  ['decision p50 µs', 0, (sample) => sample.decision?.p50Micros],
  ['decision mean µs', 0, (sample) => sample.decision?.meanMicros],
  ['processor MiB', 0, (sample) => sample.processorMiB],
  ['generator µs/req', 0, (sample) => sample.generatorMicros],
  ['sent late p99 ms', 2, (sample) => sample.latenessP99Ms],
  ['machine cores', 2, (sample) => sample.machineCores],
];

export function scrapeTable(results: Results): string {
  const groups = new Map<string, ScrapeSample[]>();
  for (const sample of results.scrapes) {
    const key = `${sample.pods}/${sample.working}`;
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  return markdown(
    ['pods', 'they are', 'router cores', 'scrapes/s', 'CPU µs/scrape', 'router MiB'],
    [...groups.values()].map((samples) => [
      String(samples[0]!.pods),
      samples[0]!.working ? 'busy' : 'idle',
      text(spread(samples.map((sample) => sample.cores)), 3),
      text(spread(samples.map((sample) => sample.scrapesPerSecond)), 0),
      text(spread(samples.map((sample) => sample.microsPerScrape)), 0),
      text(spread(samples.map((sample) => sample.processorMiB)), 0),
    ]),
  );
}

export function bodyLabel(bytes: number): string {
  return `${bytes / 1024} KiB`;
}

export function loadLabel(load: Load): string {
  return load.kind === 'open' ? `${load.perSecond}/s` : `c=${load.concurrency}`;
}

/** `median [min–max]`, the range only where there is one. */
export function text(value: Spread | undefined, digits: number): string {
  if (value === undefined) return '–';
  const [median, min, max] = [value.median, value.min, value.max].map((number) => number.toFixed(digits));
  return min === max ? median! : `${median} [${min}–${max}]`;
}

export function markdown(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
