import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { POLICIES } from '../../runtime/simulator/policies';
import { percentText, rateText, secondsText } from '../../runtime/simulator/report/figure-text';
import { plotSvg } from '../../runtime/simulator/report/plot';
import type { ReportRow } from '../../runtime/simulator/report/report-row';
import { awsText } from '../../runtime/simulator/report/report-table';
import { cellRows, planCell, type RunSettings } from '../../runtime/simulator/run/cell';
import type { EngineScale } from '../../runtime/simulator/run/engine-scale';
import { SCENARIOS } from '../../runtime/simulator/scenarios';
import type { Scenario } from '../../runtime/simulator/scenarios/scenario';
import type { CachedRuns } from './cached-runs';
import { changeText, markdownTable, policyTable } from './markdown';

/** What a part works with; it returns Markdown. */
export interface PartContext {
  readonly runs: CachedRuns;
  readonly seeds: number;
  readonly figuresFolder: string;
}

type Part = (context: PartContext) => Promise<string>;

const ALL_POLICIES = Object.keys(POLICIES);
const SCENARIO_LIST = [...SCENARIOS.values()];
const AWS_SCENARIOS = SCENARIO_LIST.filter(({ aws }) => aws !== undefined);
const CHANGE_HEAD = 'P95 / P99 / tok/s, % against round robin';

/** The parts of docs/benchmarks.md that are about routing, by the names of `--part`. */
export const PARTS: Readonly<Record<string, Part>> = {
  aws: awsPart,
  scenarios: scenariosPart,
  sweep: sweepPart,
  scale: scalePart,
  scrape: scrapePart,
  regret: regretPart,
};

/** AWS's table beside ours, at the default loads. */
async function awsPart(context: PartContext): Promise<string> {
  const shown = ['gateway', 'gie-default', 'connection-pinned', 'oracle'];
  const lines: string[][] = [];
  for (const scenario of AWS_SCENARIOS) {
    const rows = await rowsOf(context, scenario, ALL_POLICIES);
    const ofPolicy = (policy: string) => changeText(rows.find((row) => row.policy === policy)!);
    lines.push([scenario.name, rateText(scenario.ratePerSecond), awsText(scenario.aws!), ...shown.map(ofPolicy)]);
  }
  return `${CHANGE_HEAD}.\n\n${markdownTable(['scenario', 'req/s', 'AWS reports', ...shown], lines)}`;
}

/** Every policy in every scenario at its default load. */
async function scenariosPart(context: PartContext): Promise<string> {
  const texts: string[] = [];
  for (const scenario of SCENARIO_LIST) {
    const rows = await rowsOf(context, scenario, ALL_POLICIES);
    texts.push(
      `### ${scenario.name}, ${rateText(scenario.ratePerSecond)} req/s\n\n${scenario.title}\n\n${policyTable(rows)}`,
    );
  }
  return texts.join('\n\n');
}

/** Curves over load as files, and the same in numbers. */
async function sweepPart(context: PartContext): Promise<string> {
  const shown = ['gateway', 'gie-default', 'connection-pinned', 'least-request', 'prefix-sticky', 'oracle'];
  const drawn = ['gateway', 'gie-default', 'round-robin', ...shown.slice(2)];
  await mkdir(context.figuresFolder, { recursive: true });
  const texts: string[] = [];
  for (const scenario of SCENARIO_LIST) {
    const all: ReportRow[] = [];
    const lines: string[][] = [];
    for (const ratePerSecond of scenario.rates) {
      const rows = await rowsOf(context, { ...scenario, ratePerSecond }, drawn);
      const ofPolicy = (policy: string) => rows.find((row) => row.policy === policy)!;
      all.push(...rows);
      lines.push([
        rateText(ratePerSecond),
        secondsText(ofPolicy('round-robin').ttft_p95_s),
        ...shown.map((policy) => changeText(ofPolicy(policy))),
      ]);
    }
    await writeFile(join(context.figuresFolder, `${scenario.name}.svg`), plotSvg(all));
    texts.push(
      `### ${scenario.name}\n\n![P95 time to first token over load](figures/${scenario.name}.svg)\n\n${CHANGE_HEAD}.\n\n` +
        markdownTable(['req/s', 'round-robin P95', ...shown], lines, 0),
    );
  }
  return texts.join('\n\n');
}

/** The default loads on engines of other speed: does the sign survive? */
async function scalePart(context: PartContext): Promise<string> {
  const one: EngineScale = { prefill: 1, decode: 1, kv: 1 };
  const scales: readonly (readonly [string, EngineScale])[] = [
    ['as published', one],
    ...[0.7, 1.3].flatMap((factor): (readonly [string, EngineScale])[] => [
      [`all ×${factor}`, { prefill: factor, decode: factor, kv: factor }],
      [`prefill ×${factor}`, { ...one, prefill: factor }],
      [`decode ×${factor}`, { ...one, decode: factor }],
      [`KV cache ×${factor}`, { ...one, kv: factor }],
    ]),
  ];
  const lines: string[][] = [];
  for (const scenario of AWS_SCENARIOS) {
    for (const [name, scale] of scales) {
      const rows = await rowsOf(context, scenario, ['gateway', 'gie-default'], scale === one ? {} : { scale });
      lines.push([scenario.name, name, ...rows.map(changeText)]);
    }
  }
  return `${CHANGE_HEAD}.\n\n${markdownTable(['scenario', 'engines', 'gateway', 'gie-default'], lines, 2)}`;
}

/** A steady load on equal pods, seen late or not at all. */
async function scrapePart(context: PartContext): Promise<string> {
  const scenario = SCENARIOS.get('homogeneous-8b')!;
  const blind: Scenario = { ...scenario, events: [{ at: 0, kind: 'metrics-outage' }] };
  const outage: Scenario = {
    ...scenario,
    events: [
      { at: 200, kind: 'metrics-outage' },
      { at: 400, kind: 'metrics-return' },
    ],
  };
  const cases: readonly (readonly [string, Scenario, RunSettings])[] = [
    ...[0.05, 0.2, 1, 5, 15].map((seconds) => {
      const interval = { busySeconds: seconds, idleSeconds: seconds };
      return [secondsText(seconds), scenario, { scrapeInterval: interval }] as const;
    }),
    ['no metrics from 200 s to 400 s', outage, {}],
    ['no metrics at all', blind, {}],
  ];
  const lines: string[][] = [];
  for (const ratePerSecond of [10, 30, 50]) {
    for (const [name, at, settings] of cases) {
      const rows = await rowsOf(context, { ...at, ratePerSecond }, ['gateway', 'gie-default'], settings);
      lines.push([rateText(ratePerSecond), name, ...rows.map(changeText)]);
    }
  }
  return `${CHANGE_HEAD}.\n\n${markdownTable(['req/s', 'scraped every', 'gateway', 'gie-default'], lines, 2)}`;
}

/** How far each policy is from the oracle at the default loads. */
async function regretPart(context: PartContext): Promise<string> {
  const shown = ALL_POLICIES.filter((policy) => policy !== 'oracle');
  const lines: string[][] = [];
  for (const scenario of SCENARIO_LIST) {
    const rows = await rowsOf(context, scenario, ALL_POLICIES);
    const text = (row: ReportRow) =>
      [row.regret_p50_pct, row.regret_p95_pct, row.regret_p99_pct]
        .map((regret) => percentText(regret, null, false))
        .join(' / ');
    lines.push([scenario.name, ...shown.map((policy) => text(rows.find((row) => row.policy === policy)!))]);
  }
  return `P50 / P95 / P99, % longer than the oracle's.\n\n${markdownTable(['scenario', ...shown], lines)}`;
}

async function rowsOf(
  { runs, seeds }: PartContext,
  scenario: Scenario,
  policies: readonly string[],
  settings: RunSettings = {},
): Promise<ReportRow[]> {
  const cell = planCell(scenario, policies, seeds, settings);
  const figures = await runs.run(cell.tasks, `${scenario.name} at ${rateText(scenario.ratePerSecond)} req/s`);
  return cellRows(cell, figures, policies);
}
