import { rateText, secondsText } from './figure-text';
import { type LogScale, logScale } from './log-scale';
import { STYLE_SHEET, seriesStyle } from './plot-style';
import type { ReportRow } from './report-row';

const PANEL = { width: 440, height: 290, left: 62, right: 14, top: 34, bottom: 42 };
const PLOT_WIDTH = PANEL.width - PANEL.left - PANEL.right;
const PLOT_HEIGHT = PANEL.height - PANEL.top - PANEL.bottom;
const HEAD_HEIGHT = 48;
const LEGEND_ROW = 20;
const LEGEND_ENTRY = 146;
/** Labels of rates nearer than this to the one before are left out. */
const RATE_LABEL_WIDTH = 30;

/** Scenarios that `rows` have only one rate of: no curve can be drawn through it. */
export function scenariosWithoutCurve(rows: readonly Pick<ReportRow, 'scenario' | 'rate'>[]): string[] {
  return [...Map.groupBy(rows, ({ scenario }) => scenario)]
    .filter(([, of]) => new Set(of.map(({ rate }) => rate)).size < 2)
    .map(([scenario]) => scenario);
}

/**
 * P95 time to first token over load as SVG: one panel a scenario, one line a policy, 95 % intervals as whiskers. Where a
 * figure could not be computed the line has a gap.
 */
export function plotSvg(rows: readonly ReportRow[]): string {
  const panels = [...Map.groupBy(rows, ({ scenario }) => scenario)];
  const policies = [...new Set(rows.map(({ policy }) => policy))];
  const columns = Math.min(2, panels.length);
  const width = columns * PANEL.width;
  const legendColumns = Math.floor((width - 20) / LEGEND_ENTRY);
  const legendTop = HEAD_HEIGHT + Math.ceil(panels.length / columns) * PANEL.height + 8;
  const height = legendTop + Math.ceil(policies.length / legendColumns) * LEGEND_ROW + 6;
  const title = 'Simulated: P95 time to first token over load';
  const seeds = Math.max(...rows.map((row) => row.seeds));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${title}</title>`,
    `<style>${STYLE_SHEET}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    `<text class="title" x="14" y="22">${title}</text>`,
    `<text class="quiet" x="14" y="40">${seeds === 1 ? '1 seed' : `mean of ${seeds} seeds; whiskers: 95 % interval`}</text>`,
    ...panels.map(([scenario, of], index) => {
      const x = (index % columns) * PANEL.width + PANEL.left;
      const y = HEAD_HEIGHT + Math.floor(index / columns) * PANEL.height + PANEL.top;
      return `<g transform="translate(${x} ${y})">\n${panel(scenario, of).join('\n')}\n</g>`;
    }),
    ...policies.map((policy, index) => {
      const x = 14 + (index % legendColumns) * LEGEND_ENTRY;
      const y = legendTop + Math.floor(index / legendColumns) * LEGEND_ROW;
      return `<g transform="translate(${x} ${y})">${legendEntry(policy)}</g>`;
    }),
    '</svg>\n',
  ].join('\n');
}

function panel(scenario: string, rows: readonly ReportRow[]): string[] {
  const rates = [...new Set(rows.map(({ rate }) => rate))].sort((a, b) => a - b);
  const drawn = rows.filter((row) => row.ttft_p95_s !== null && row.ttft_p95_s > 0);
  const heading = `<text class="panel" x="0" y="-10">${escaped(scenario)}</text>`;
  if (drawn.length === 0) return [heading, '<text class="quiet" x="0" y="14">no request was answered</text>'];
  const scale = logScale(drawn.flatMap((row) => [row.ttft_p95_s!, row.ttft_p95_s! + (row.ci95.ttft_p95_s ?? 0)]));
  const policies = [...Map.groupBy(drawn, ({ policy }) => policy)];
  // The first named is drawn last, above the others.
  return [
    heading,
    ...axes(rates, scale),
    ...policies.reverse().flatMap(([policy, of]) => series(policy, of, rates, scale)),
  ];
}

function axes(rates: readonly number[], scale: LogScale): string[] {
  const lines = scale.ticks.flatMap((tick) => {
    const y = place(scale, tick);
    return [
      `<path class="grid" d="M0 ${y}H${PLOT_WIDTH}"/>`,
      `<text class="quiet" text-anchor="end" x="-6" y="${y + 4}">${secondsText(tick).replace(/\.0+ /, ' ')}</text>`,
    ];
  });
  let labelled = Number.NEGATIVE_INFINITY;
  for (const rate of rates) {
    const x = across(rates, rate);
    lines.push(`<path class="grid" d="M${x} 0V${PLOT_HEIGHT}"/>`);
    if (x - labelled < RATE_LABEL_WIDTH) continue;
    labelled = x;
    lines.push(`<text class="quiet" text-anchor="middle" x="${x}" y="${PLOT_HEIGHT + 16}">${rateText(rate)}</text>`);
  }
  return [
    ...lines,
    `<rect class="frame" width="${PLOT_WIDTH}" height="${PLOT_HEIGHT}"/>`,
    `<text class="quiet" text-anchor="middle" x="${PLOT_WIDTH / 2}" y="${PLOT_HEIGHT + 33}">requests per second</text>`,
  ];
}

function series(policy: string, rows: readonly ReportRow[], rates: readonly number[], scale: LogScale): string[] {
  const { colour, dash, mark } = seriesStyle(policy);
  const byRate = new Map(rows.map((row) => [row.rate, row]));
  let line = '';
  let pen = 'M';
  const points: string[] = [];
  for (const rate of rates) {
    const row = byRate.get(rate);
    if (row === undefined) {
      pen = 'M';
      continue;
    }
    const p95 = row.ttft_p95_s!;
    const x = across(rates, rate);
    const y = place(scale, p95);
    line += `${pen}${x} ${y}`;
    pen = 'L';
    const half = row.ci95.ttft_p95_s;
    if (half !== null) {
      points.push(`<path d="M${x} ${place(scale, p95 - half)}V${place(scale, p95 + half)}"/>`);
    }
    const hint = `${policy}, ${rateText(rate)} req/s: ${secondsText(p95)}${half === null ? '' : ` ± ${secondsText(half)}`}`;
    points.push(
      `<path d="${mark}" transform="translate(${x} ${y})" fill="${colour}"><title>${escaped(hint)}</title></path>`,
    );
  }
  return [
    `<g stroke="${colour}" fill="none" stroke-width="1">`,
    `<path d="${line}" stroke-width="1.6" stroke-dasharray="${dash}"/>`,
    ...points,
    '</g>',
  ];
}

function legendEntry(policy: string): string {
  const { colour, dash, mark } = seriesStyle(policy);
  return [
    `<path d="M0 6H26" stroke="${colour}" stroke-width="1.6" stroke-dasharray="${dash}"/>`,
    `<path d="${mark}" transform="translate(13 6)" fill="${colour}"/>`,
    `<text x="32" y="10">${escaped(policy)}</text>`,
  ].join('');
}

/** Height of a value in the panel, from its top. */
function place(scale: LogScale, value: number): number {
  return tenths((1 - scale.position(value)) * PLOT_HEIGHT);
}

/** Place of a rate in the panel, from its left; 4 % are left free on both sides. */
function across(rates: readonly number[], rate: number): number {
  const first = rates[0]!;
  const span = rates.at(-1)! - first || 1;
  return tenths(PLOT_WIDTH * (0.04 + 0.92 * ((rate - first) / span)));
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
