import { reportRow } from '../../../../runtime/simulator/report/report-row';
import { awsText, reportTable } from '../../../../runtime/simulator/report/report-table';
import type { RunFigures } from '../../../../runtime/simulator/report/run-figures';
import { bandFigures, figures, UNANSWERED } from './figures';

const PLAIN = { bold: (text: string) => text, dim: (text: string) => text };
const HEAD = { scenario: 'mixed-8b', title: 'Eight pods.', rate: 12, seeds: 2, notes: ['scraped every 5s'] };

function row(policy: string, run: RunFigures) {
  const base = [figures(2), figures(2)];
  return reportRow({ scenario: 'mixed-8b', policy, rate: 12 }, { runs: [run, run], roundRobin: base, oracle: base });
}

test('the head names scenario, load, seeds and that all is simulated', () => {
  const lines = reportTable(HEAD, [row('gateway', figures(1))], PLAIN).split('\n');
  expect(lines[0]).toBe('mixed-8b  Eight pods.');
  expect(lines[1]).toBe('simulated · 12 req/s · mean of 2 seeds ± 95 % interval · scraped every 5s');
});

test('what AWS reports stands beside', () => {
  const head = { ...HEAD, aws: { ttft_p95_pct: -97, ttft_p99_pct: -97, throughput_pct: 8 } };
  expect(reportTable(head, [], PLAIN)).toContain(
    'AWS reports against round robin: P95 -97 %, P99 -97 %, throughput +8 %',
  );
});

test('of AWS’s figures only those are told that there are', () => {
  expect(awsText({ ttft_p95_pct: 0, ttft_p99_pct: -89 })).toBe('P95 0 %, P99 -89 %');
});

test('columns are aligned, numbers to the right', () => {
  const lines = reportTable(HEAD, [row('gateway', figures(1)), row('round-robin', figures(2))], PLAIN).split('\n');
  const table = lines.slice(2, 5);
  expect(new Set(table.map((line) => line.length)).size).toBe(1);
  expect(table[1]).toMatch(/^gateway {8}500 ms {2}.*-50\.0 ±0\.0/);
  expect(table[2]).toMatch(/^round-robin {3}/);
});

test('failures show, beside the percentiles that they make better', () => {
  const lines = reportTable(HEAD, [row('gateway', figures(1, { failed: 25 }))], PLAIN).split('\n');
  const at = lines[2]!.indexOf('failed') + 'failed'.length;
  expect(lines[3]!.slice(0, at)).toMatch(/ 25\.0 %$/);
});

test('a policy that answered nothing has dashes', () => {
  const text = reportTable(HEAD, [row('gateway', UNANSWERED)], PLAIN);
  expect(text).toContain('—');
  expect(text).not.toMatch(/NaN|null|undefined|Infinity/);
});

test('a run too short for its warm-up says so, and only that one', () => {
  const nothing = row('gateway', { ...UNANSWERED, requests: 0, failed: 0 });
  const note = 'No request arrived after the warm-up';
  expect(reportTable(HEAD, [nothing], PLAIN)).toContain(note);
  expect(reportTable(HEAD, [nothing, row('gateway', UNANSWERED)], PLAIN)).not.toContain(note);
});

test('the look comes from the caller alone', () => {
  const painted = reportTable(HEAD, [], { bold: (text) => `<${text}>`, dim: (text) => `(${text})` });
  expect(painted).toContain('<mixed-8b>');
});

test('the bands of each policy stand below, with what was refused at once and after a wait', () => {
  const run = figures(1, { bands: [bandFigures('critical', 0.1), bandFigures('sheddable', 10)] });
  const lines = reportTable(HEAD, [row('gateway-flow', run)], PLAIN).split('\n');
  expect(lines[4]).toMatch(/^band .*refused +expired/);
  expect(lines[5]).toMatch(/^gateway-flow critical +50\.0 ms +100 ms/);
  expect(lines[6]).toMatch(/^gateway-flow sheddable .* 5\.0 % +20\.0 % +0$/);
});
