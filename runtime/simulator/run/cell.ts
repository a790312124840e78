import { type ReportRow, reportRow } from '../report/report-row';
import type { RunFigures } from '../report/run-figures';
import type { Scenario } from '../scenarios/scenario';
import type { RunTask } from './run-task';

/** All runs of one scenario at one rate. */
export interface Cell {
  /** Its `ratePerSecond` is the rate of the cell. */
  readonly scenario: Scenario;
  readonly tasks: readonly RunTask[];
}

/** What the runs of a cell have in common besides scenario and rate. */
export type RunSettings = Pick<RunTask, 'scrapeInterval' | 'scale' | 'trace'>;

/** What every other policy is held against: always run. */
const ROUND_ROBIN = 'round-robin';
const ORACLE = 'oracle';

/** The runs for figures of `policies` with the seeds 1 to `seeds`. */
export function planCell(scenario: Scenario, policies: readonly string[], seeds: number, settings: RunSettings): Cell {
  const all = [...new Set([...policies, ROUND_ROBIN, ORACLE])];
  const tasks = all.flatMap((policy) =>
    Array.from({ length: seeds }, (_, index): RunTask => ({ scenario, policy, seed: index + 1, ...settings })),
  );
  return { scenario, tasks };
}

/** Rows of the report for `policies`, in their order, of the figures of all the cell's tasks. */
export function cellRows(
  { scenario, tasks }: Cell,
  figures: ReadonlyMap<RunTask, RunFigures>,
  policies: readonly string[],
): ReportRow[] {
  const runsOf = (policy: string) => tasks.filter((task) => task.policy === policy).map((task) => figures.get(task)!);
  const roundRobin = runsOf(ROUND_ROBIN);
  const oracle = runsOf(ORACLE);
  return policies.map((policy) =>
    reportRow(
      { scenario: scenario.name, policy, rate: scenario.ratePerSecond },
      { runs: runsOf(policy), roundRobin, oracle },
    ),
  );
}
