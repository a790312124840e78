import { REPORT_COLUMNS } from '../../runtime/simulator/report/columns';
import { percentText } from '../../runtime/simulator/report/figure-text';
import type { ReportRow } from '../../runtime/simulator/report/report-row';

/** A Markdown table, numbers to the right; the first `labels` columns to the left. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[], labels = 1): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, index) => (index < labels ? '---' : '---:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** All columns of the command's table, for rows of one scenario at one rate. */
export function policyTable(rows: readonly ReportRow[]): string {
  return markdownTable(
    ['policy', ...REPORT_COLUMNS.map(({ title }) => title)],
    rows.map((row) => [row.policy, ...REPORT_COLUMNS.map((column) => column.text(row))]),
  );
}

/** `P95 / P99 / throughput` against round robin, with intervals. */
export function changeText({ vs_round_robin: vs }: ReportRow): string {
  return [
    percentText(vs.ttft_p95_pct, vs.ci95.ttft_p95_pct),
    percentText(vs.ttft_p99_pct, vs.ci95.ttft_p99_pct),
    percentText(vs.throughput_pct, vs.ci95.throughput_pct),
  ].join(' / ');
}
