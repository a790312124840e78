import { numberText, percentText, secondsText, shareText } from './figure-text';
import type { BandRow, ReportRow } from './report-row';

export interface ReportColumn {
  readonly title: string;
  text(row: ReportRow): string;
}

/** Columns of a human's table after the policy's name. Changes are per cent against round robin. */
export const REPORT_COLUMNS: readonly ReportColumn[] = [
  { title: 'TTFT P50', text: (row) => secondsText(row.ttft_p50_s) },
  { title: 'P95', text: (row) => secondsText(row.ttft_p95_s) },
  { title: 'P99', text: (row) => secondsText(row.ttft_p99_s) },
  { title: 'ITL', text: (row) => secondsText(row.itl_mean_s) },
  { title: 'tok/s', text: (row) => numberText(row.throughput_tok_s) },
  { title: 'goodput/s', text: (row) => numberText(row.goodput_rps) },
  { title: 'failed', text: failedText },
  { title: 'cached', text: (row) => shareText(row.prefix_hit_rate) },
  { title: 'ΔP95 %', text: ({ vs_round_robin: vs }) => percentText(vs.ttft_p95_pct, vs.ci95.ttft_p95_pct) },
  { title: 'ΔP99 %', text: ({ vs_round_robin: vs }) => percentText(vs.ttft_p99_pct, vs.ci95.ttft_p99_pct) },
  { title: 'Δtok/s %', text: ({ vs_round_robin: vs }) => percentText(vs.throughput_pct, vs.ci95.throughput_pct) },
  { title: 'regret P95 %', text: (row) => percentText(row.regret_p95_pct, row.ci95.regret_p95_pct, false) },
];

export interface BandColumn {
  readonly title: string;
  text(row: BandRow): string;
}

/** Columns of the table of bands, after the names of policy and band. */
export const BAND_COLUMNS: readonly BandColumn[] = [
  { title: 'TTFT P50', text: (row) => secondsText(row.ttft_p50_s) },
  { title: 'P95', text: (row) => secondsText(row.ttft_p95_s) },
  { title: 'P99', text: (row) => secondsText(row.ttft_p99_s) },
  { title: 'goodput/s', text: (row) => numberText(row.goodput_rps) },
  { title: 'refused', text: (row) => partText(row.refused, row.requests) },
  { title: 'expired', text: (row) => partText(row.expired, row.requests) },
  { title: 'errors', text: (row) => partText(row.errors, row.requests) },
];

/** Failed requests as a share of all, since a quick 429 makes good percentiles. */
function failedText({ failed, requests }: ReportRow): string {
  return partText(failed, requests);
}

function partText(part: number | null, whole: number | null): string {
  if (part === null || whole === null || whole === 0) return shareText(null);
  return part === 0 ? '0' : shareText(part / whole);
}
