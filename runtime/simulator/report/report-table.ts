import { BAND_COLUMNS, REPORT_COLUMNS } from './columns';
import { rateText } from './figure-text';
import type { ReportRow } from './report-row';

/** What stands above a table. */
export interface TableHead {
  readonly scenario: string;
  readonly title: string;
  readonly rate: number;
  readonly seeds: number;
  /** What else differs from the scenario's defaults, in words. */
  readonly notes: readonly string[];
  /** What AWS publishes against round robin for such a fleet, per cent. */
  readonly aws?: AwsFigures | undefined;
}

export interface AwsFigures {
  readonly ttft_p95_pct?: number;
  readonly ttft_p99_pct?: number;
  readonly throughput_pct?: number;
}

/** Gives text a look on a terminal; each function may return its text as it is. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
}

const NOTHING_COUNTED = 'No request arrived after the warm-up, so there are no figures; raise the rate.';

/**
 * The rows of one scenario at one rate as right-aligned columns under a head, and then the bands of each, where there are
 * several. Lines end with a line feed.
 */
export function reportTable(head: TableHead, rows: readonly ReportRow[], paint: Paint): string {
  const lines = aligned([
    ['policy', ...REPORT_COLUMNS.map(({ title }) => title)],
    ...rows.map((row) => [row.policy, ...REPORT_COLUMNS.map((column) => column.text(row))]),
  ]);
  const bands = rows.flatMap(({ policy, bands: ofPolicy = [] }) =>
    ofPolicy.map((row) => [`${policy} ${row.band}`, ...BAND_COLUMNS.map((column) => column.text(row))]),
  );
  const bandLines = aligned([['band', ...BAND_COLUMNS.map(({ title }) => title)], ...bands]);
  const seeds = head.seeds === 1 ? '1 seed' : `mean of ${head.seeds} seeds ± 95 % interval`;
  return [
    `${paint.bold(head.scenario)}  ${head.title}`,
    ['simulated', `${rateText(head.rate)} req/s`, seeds, ...head.notes].join(' · '),
    ...(head.aws === undefined ? [] : [`AWS reports against round robin: ${awsText(head.aws)}`]),
    paint.dim(lines[0]!),
    ...lines.slice(1),
    ...(bands.length > 0 ? [paint.dim(bandLines[0]!), ...bandLines.slice(1)] : []),
    ...(rows.length > 0 && rows.every(({ requests }) => requests === 0) ? [NOTHING_COUNTED] : []),
    '',
  ].join('\n');
}

/** The first column to the left, the others to the right. */
function aligned(cells: readonly (readonly string[])[]): string[] {
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  return cells.map((line) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
  );
}

/** `P95 -97 %, P99 -97 %, throughput +8 %`; what it calls comparable is 0 %. */
export function awsText({ ttft_p95_pct, ttft_p99_pct, throughput_pct }: AwsFigures): string {
  const parts = { P95: ttft_p95_pct, P99: ttft_p99_pct, throughput: throughput_pct };
  return Object.entries(parts)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value > 0 ? '+' : ''}${value} %`]))
    .join(', ');
}
