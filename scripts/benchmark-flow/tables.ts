import { secondsText } from '../../runtime/simulator/report/figure-text';
import { estimate } from '../../runtime/simulator/report/interval';
import type { BandFigures, RunFigures } from '../../runtime/simulator/report/run-figures';
import { markdownTable } from '../benchmark-routing/markdown';
import type { Sightings } from './probe';

export interface FlowRun {
  readonly figures: RunFigures;
  readonly seen: Sightings;
}

/** The runs of one fleet, by seed. */
export interface FleetRuns {
  readonly fleet: string;
  /** Requests per second. */
  readonly capacity: number;
  readonly quiet: readonly FlowRun[];
  readonly double: readonly FlowRun[];
  /** At twice the capacity without flow control. */
  readonly without: readonly FlowRun[];
  readonly tenants: readonly FlowRun[];
}

/** Critical's P95 at both loads. */
export function criticalTable(fleets: readonly FleetRuns[]): string {
  return markdownTable(
    ['fleet', 'capacity, req/s', 'P95 at 0.8', 'P95 at 2', 'change, %', 'at 2 without flow control'],
    fleets.map(({ fleet, capacity, quiet, double, without }) => {
      const p95 = (runs: readonly FlowRun[]) => runs.map((run) => bandOf(run, 'critical')?.p95 ?? null);
      const base = p95(quiet);
      const change = estimate(
        p95(double).map((value, seed) => {
          const before = base[seed];
          return value === null || before === null || before === undefined ? null : 100 * (value / before - 1);
        }),
      );
      return [
        fleet,
        capacity.toFixed(1),
        secondsText(estimate(base).mean),
        secondsText(estimate(p95(double)).mean),
        `${change.mean?.toFixed(1) ?? '-'}${change.halfWidth === null ? '' : ` ±${change.halfWidth.toFixed(1)}`}`,
        secondsText(estimate(p95(without)).mean),
      ];
    }),
  );
}

/** What becomes of each band at both loads. */
export function bandTable(fleets: readonly FleetRuns[]): string {
  const rows = fleets.flatMap(({ fleet, quiet, double }) =>
    (['critical', 'standard', 'sheddable'] as const).flatMap((band) =>
      (
        [
          ['0.8', quiet],
          ['2', double],
        ] as const
      ).map(([load, runs]) => {
        const mean = (figure: (figures: BandFigures) => number | null) =>
          estimate(runs.map((run) => (bandOf(run, band) === undefined ? null : figure(bandOf(run, band)!)))).mean;
        const share = (part: (figures: BandFigures) => number) =>
          shareText(mean((figures) => part(figures) / figures.requests));
        return [
          fleet,
          band,
          load,
          secondsText(mean(({ p50 }) => p50)),
          secondsText(mean(({ p95 }) => p95)),
          secondsText(mean(({ p99 }) => p99)),
          share(({ requests, refused, expired, errors }) => requests - refused - expired - errors),
          share(({ refused }) => refused),
          share(({ expired }) => expired),
        ];
      }),
    ),
  );
  return markdownTable(['fleet', 'band', 'load', 'TTFT P50', 'P95', 'P99', 'answered', 'refused', 'expired'], rows, 3);
}

/** What must hold at twice the capacity: the worst of all runs. */
export function checkTable(fleets: readonly FleetRuns[]): string {
  return markdownTable(
    [
      'fleet',
      'sent, of capacity',
      'sent without KV room',
      'KV cache at most',
      'waiting in an engine at most',
      'preempted',
      'of the starvation bound',
      'tenants differ by',
    ],
    fleets.map(({ fleet, capacity, double, tenants }) => {
      const worst = (figure: (run: FlowRun) => number) => Math.max(...double.map(figure));
      const seconds = double[0]!.figures.requests / (2 * capacity);
      return [
        fleet,
        shareText(estimate(double.map(({ seen }) => seen.dispatched / seconds / capacity)).mean),
        `${sum(double, ({ seen }) => seen.withoutRoom)} of ${sum(double, ({ seen }) => seen.dispatched)}`,
        shareText(worst(({ seen }) => seen.kvUsage)),
        String(worst(({ seen }) => seen.waiting)),
        String(sum(double, ({ figures }) => figures.preemptions)),
        shareText(worst(({ seen }) => seen.starvation)),
        shareText(Math.max(...tenants.map(({ seen }) => spread([...seen.tenantTokens.values()])))),
      ];
    }),
  );
}

function bandOf({ figures }: FlowRun, name: BandFigures['band']): BandFigures | undefined {
  return figures.bands?.find(({ band }) => band === name);
}

function spread(values: readonly number[]): number {
  return Math.max(...values) / Math.min(...values) - 1;
}

function sum(runs: readonly FlowRun[], figure: (run: FlowRun) => number): number {
  return runs.reduce((total, run) => total + figure(run), 0);
}

function shareText(share: number | null): string {
  return share === null ? '-' : `${(100 * share).toFixed(1)} %`;
}
