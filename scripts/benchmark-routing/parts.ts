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
interface PartContext {
  readonly runs: CachedRuns;
  readonly seeds: number;
  /** Names of the scenarios that the parts about all scenarios are limited to. */
  readonly scenarios: readonly string[];
  readonly figuresFolder: string;
}

type Part = (context: PartContext) => Promise<string>;

// Flow control, where all requests are Standard and fit, is not what these scenarios are about.
const ALL_POLICIES = Object.keys(POLICIES).filter((policy) => policy !== 'gateway-flow');
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

/** What one table, or one line of it, is made of. */
interface Comparison {
  readonly scenario: Scenario;
  readonly policies: readonly string[];
  readonly settings?: RunSettings;
}

/** AWS's table beside ours, at the default loads. */
async function awsPart(context: PartContext): Promise<string> {
  const shown = ['gateway', 'gie-default', 'connection-pinned', 'oracle'];
  const tables = await compare(context, 'aws', AWS_SCENARIOS.map(withAllPolicies));
  const lines = tables.map((rows, index) => {
    const { name, ratePerSecond, aws } = AWS_SCENARIOS[index]!;
    return [name, rateText(ratePerSecond), awsText(aws!), ...shown.map((policy) => changeText(rowOf(rows, policy)))];
  });
  return `${CHANGE_HEAD}.\n\n${markdownTable(['scenario', 'req/s', 'AWS reports', ...shown], lines)}`;
}

/** Every policy in every scenario at its default load. */
async function scenariosPart(context: PartContext): Promise<string> {
  const scenarios = chosen(context);
  const tables = await compare(context, 'scenarios', scenarios.map(withAllPolicies));
  return tables
    .map((rows, index) => {
      const { name, title, ratePerSecond } = scenarios[index]!;
      return `### ${name}, ${rateText(ratePerSecond)} req/s\n\n${title}\n\n${policyTable(rows)}`;
    })
    .join('\n\n');
}

/** Curves over load as files, and the same in numbers. */
async function sweepPart(context: PartContext): Promise<string> {
  const shown = ['gateway', 'gie-default', 'least-request', 'prefix-sticky', 'oracle'];
  const policies = ['gateway', 'gie-default', 'round-robin', ...shown.slice(2)];
  await mkdir(context.figuresFolder, { recursive: true });
  const texts: string[] = [];
  for (const scenario of chosen(context)) {
    const { name, rates } = scenario;
    const order = rates.map((ratePerSecond) => ({ scenario: { ...scenario, ratePerSecond }, policies }));
    const tables = await compare(context, `sweep of ${name}`, order);
    await writeFile(join(context.figuresFolder, `${name}.svg`), plotSvg(tables.flat()));
    const lines = tables.map((rows, index) => [
      rateText(rates[index]!),
      secondsText(rowOf(rows, 'round-robin').ttft_p95_s),
      ...shown.map((policy) => changeText(rowOf(rows, policy))),
    ]);
    const table = markdownTable(['req/s', 'round-robin P95', ...shown], lines, 0);
    texts.push(
      `### ${name}\n\n![P95 time to first token over load](figures/${name}.svg)\n\n${CHANGE_HEAD}.\n\n${table}`,
    );
  }
  return texts.join('\n\n');
}

/** The default loads on engines of other speed and cache: does the sign survive? */
async function scalePart(context: PartContext): Promise<string> {
  const one: EngineScale = { prefill: 1, decode: 1, kv: 1 };
  const scales: readonly (readonly [string, RunSettings])[] = [
    ['as published', {}],
    ...[0.7, 1.3].flatMap((factor): (readonly [string, RunSettings])[] => [
      [`all ×${factor}`, { scale: { prefill: factor, decode: factor, kv: factor } }],
      [`prefill ×${factor}`, { scale: { ...one, prefill: factor } }],
      [`decode ×${factor}`, { scale: { ...one, decode: factor } }],
      [`KV cache ×${factor}`, { scale: { ...one, kv: factor } }],
    ]),
  ];
  const policies = ['gateway', 'gie-default'];
  const cases = AWS_SCENARIOS.flatMap((scenario) =>
    scales.map(([name, settings]) => ({ name, scenario, policies, settings })),
  );
  const tables = await compare(context, 'scale', cases);
  const lines = tables.map((rows, index) => [
    cases[index]!.scenario.name,
    cases[index]!.name,
    ...policies.map((policy) => changeText(rowOf(rows, policy))),
  ]);
  return `${CHANGE_HEAD}.\n\n${markdownTable(['scenario', 'engines', ...policies], lines, 2)}`;
}

/** A steady load on equal pods, seen late or not at all. */
async function scrapePart(context: PartContext): Promise<string> {
  const steady = SCENARIOS.get('homogeneous-8b')!;
  const blind: Scenario = { ...steady, events: [{ at: 0, kind: 'metrics-outage' }] };
  const outage: Scenario = {
    ...steady,
    events: [
      { at: 200, kind: 'metrics-outage' },
      { at: 400, kind: 'metrics-return' },
    ],
  };
  const views: readonly (readonly [string, Scenario, RunSettings])[] = [
    ['as each does by itself', steady, {}],
    ...[0.05, 0.2, 1, 5, 15].map((seconds) => {
      const scrapeInterval = { busySeconds: seconds, idleSeconds: seconds };
      return [`every ${seconds} s`, steady, { scrapeInterval }] as const;
    }),
    ['not from 200 s to 400 s', outage, {}],
    ['never', blind, {}],
  ];
  const policies = ['gateway', 'gie-default'];
  const cases = [10, 30, 50].flatMap((ratePerSecond) =>
    views.map(([name, scenario, settings]) => ({ name, scenario: { ...scenario, ratePerSecond }, policies, settings })),
  );
  const tables = await compare(context, 'scrape', cases);
  const lines = tables.map((rows, index) => [
    rateText(cases[index]!.scenario.ratePerSecond),
    cases[index]!.name,
    ...policies.map((policy) => changeText(rowOf(rows, policy))),
  ]);
  return `${CHANGE_HEAD}.\n\n${markdownTable(['req/s', 'metrics read', ...policies], lines, 2)}`;
}

/** How far each policy is from the oracle at the default loads. */
async function regretPart(context: PartContext): Promise<string> {
  const shown = ALL_POLICIES.filter((policy) => policy !== 'oracle');
  const scenarios = chosen(context);
  const tables = await compare(context, 'regret', scenarios.map(withAllPolicies));
  const lines = tables.map((rows, index) => [
    scenarios[index]!.name,
    ...shown.map((policy) => {
      const { regret_p50_pct, regret_p95_pct, regret_p99_pct } = rowOf(rows, policy);
      return [regret_p50_pct, regret_p95_pct, regret_p99_pct]
        .map((regret) => percentText(regret, null, false))
        .join(' / ');
    }),
  ]);
  return `P50 / P95 / P99, % longer than the oracle's.\n\n${markdownTable(['scenario', ...shown], lines)}`;
}

function chosen({ scenarios }: PartContext): readonly Scenario[] {
  return SCENARIO_LIST.filter(({ name }) => scenarios.includes(name));
}

function withAllPolicies(scenario: Scenario): Comparison {
  return { scenario, policies: ALL_POLICIES };
}

/** The rows of each comparison; all runs share one set of workers. */
async function compare(
  { runs, seeds }: PartContext,
  label: string,
  comparisons: readonly Comparison[],
): Promise<ReportRow[][]> {
  const cells = comparisons.map(({ scenario, policies, settings = {} }) =>
    planCell(scenario, policies, seeds, settings),
  );
  const tasks = cells.flatMap((cell) => cell.tasks);
  const figures = await runs.run(tasks, label);
  return cells.map((cell, index) => cellRows(cell, figures, comparisons[index]!.policies));
}

function rowOf(rows: readonly ReportRow[], policy: string): ReportRow {
  return rows.find((row) => row.policy === policy)!;
}
