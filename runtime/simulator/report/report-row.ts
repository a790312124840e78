import { BANDS, type Band } from '../../../lib/translate/gateway-state';
import { estimate } from './interval';
import type { BandFigures, RunFigures } from './run-figures';

/**
 * One line of a report: a policy in a scenario at a rate, as mean over the seeds. Its names are those of `simulate
 * --json`. Null is what cannot be computed. `ci95` holds half-widths of 95 % intervals.
 */
export interface ReportRow {
  readonly simulated: true;
  readonly scenario: string;
  readonly policy: string;
  /** Number of runs. */
  readonly seeds: number;
  /** Requests a second that the clients send. */
  readonly rate: number;
  readonly ttft_p50_s: number | null;
  readonly ttft_p90_s: number | null;
  readonly ttft_p95_s: number | null;
  readonly ttft_p99_s: number | null;
  readonly itl_mean_s: number | null;
  readonly throughput_tok_s: number | null;
  readonly goodput_rps: number | null;
  readonly requests: number | null;
  readonly failed: number | null;
  readonly prefix_hit_rate: number | null;
  readonly preemptions: number | null;
  readonly vs_round_robin: Change & { readonly ci95: Change };
  /** How much longer than the oracle's, per cent. */
  readonly regret_p50_pct: number | null;
  readonly regret_p95_pct: number | null;
  readonly regret_p99_pct: number | null;
  readonly ci95: {
    readonly ttft_p50_s: number | null;
    readonly ttft_p95_s: number | null;
    readonly ttft_p99_s: number | null;
    readonly goodput_rps: number | null;
    readonly regret_p50_pct: number | null;
    readonly regret_p95_pct: number | null;
    readonly regret_p99_pct: number | null;
  };
  /** Each band apart, where requests came in others than Standard. */
  readonly bands?: readonly BandRow[];
}

export interface BandRow {
  readonly band: Band;
  readonly ttft_p50_s: number | null;
  readonly ttft_p95_s: number | null;
  readonly ttft_p99_s: number | null;
  readonly goodput_rps: number | null;
  readonly requests: number | null;
  /** 429 at once, and after a wait. */
  readonly refused: number | null;
  readonly expired: number | null;
  readonly errors: number | null;
}

/** Changes in per cent; negative times are better, positive throughput is. */
interface Change {
  readonly ttft_p95_pct: number | null;
  readonly ttft_p99_pct: number | null;
  readonly throughput_pct: number | null;
}

export interface RowKey {
  readonly scenario: string;
  readonly policy: string;
  readonly rate: number;
}

/** The runs of one policy and of the two that it is held against, each by seed, in the same order of seeds. */
export interface ComparedRuns {
  readonly runs: readonly RunFigures[];
  readonly roundRobin: readonly RunFigures[];
  readonly oracle: readonly RunFigures[];
}

/** Means over seeds; changes and regret are paired: computed for each seed, then averaged. */
export function reportRow({ scenario, policy, rate }: RowKey, { runs, roundRobin, oracle }: ComparedRuns): ReportRow {
  const over = (figure: Figure) => estimate(runs.map(figure));
  const change = (figure: Figure, base: readonly RunFigures[]) =>
    estimate(runs.map((run, seed) => percentChange(figure(run), base[seed] && figure(base[seed]))));
  const p50 = over((run) => run.firstToken.p50);
  const p95 = over((run) => run.firstToken.p95);
  const p99 = over((run) => run.firstToken.p99);
  const goodput = over((run) => run.goodputPerSecond);
  const p95Change = change((run) => run.firstToken.p95, roundRobin);
  const p99Change = change((run) => run.firstToken.p99, roundRobin);
  const throughputChange = change((run) => run.outputTokensPerSecond, roundRobin);
  const p50Regret = change((run) => run.firstToken.p50, oracle);
  const p95Regret = change((run) => run.firstToken.p95, oracle);
  const p99Regret = change((run) => run.firstToken.p99, oracle);
  return {
    simulated: true,
    scenario,
    policy,
    seeds: runs.length,
    rate,
    ttft_p50_s: short(p50.mean),
    ttft_p90_s: short(over((run) => run.firstToken.p90).mean),
    ttft_p95_s: short(p95.mean),
    ttft_p99_s: short(p99.mean),
    itl_mean_s: short(over((run) => run.interTokenMeanSeconds).mean),
    throughput_tok_s: short(over((run) => run.outputTokensPerSecond).mean),
    goodput_rps: short(goodput.mean),
    requests: short(over((run) => run.requests).mean),
    failed: short(over((run) => run.failed).mean),
    prefix_hit_rate: short(over((run) => run.prefixHitRate).mean),
    preemptions: short(over((run) => run.preemptions).mean),
    vs_round_robin: {
      ttft_p95_pct: short(p95Change.mean),
      ttft_p99_pct: short(p99Change.mean),
      throughput_pct: short(throughputChange.mean),
      ci95: {
        ttft_p95_pct: short(p95Change.halfWidth),
        ttft_p99_pct: short(p99Change.halfWidth),
        throughput_pct: short(throughputChange.halfWidth),
      },
    },
    regret_p50_pct: short(p50Regret.mean),
    regret_p95_pct: short(p95Regret.mean),
    regret_p99_pct: short(p99Regret.mean),
    ci95: {
      ttft_p50_s: short(p50.halfWidth),
      ttft_p95_s: short(p95.halfWidth),
      ttft_p99_s: short(p99.halfWidth),
      goodput_rps: short(goodput.halfWidth),
      regret_p50_pct: short(p50Regret.halfWidth),
      regret_p95_pct: short(p95Regret.halfWidth),
      regret_p99_pct: short(p99Regret.halfWidth),
    },
    ...(runs.some(({ bands }) => bands !== undefined) && { bands: bandRows(runs) }),
  };
}

function bandRows(runs: readonly RunFigures[]): BandRow[] {
  return BANDS.flatMap((band) => {
    const ofBand = runs.flatMap(({ bands = [] }) => bands.filter((figures) => figures.band === band));
    if (ofBand.length === 0) return [];
    const mean = (figure: (figures: BandFigures) => number | null) => short(estimate(ofBand.map(figure)).mean);
    return {
      band,
      ttft_p50_s: mean(({ p50 }) => p50),
      ttft_p95_s: mean(({ p95 }) => p95),
      ttft_p99_s: mean(({ p99 }) => p99),
      goodput_rps: mean(({ goodputPerSecond }) => goodputPerSecond),
      requests: mean(({ requests }) => requests),
      refused: mean(({ refused }) => refused),
      expired: mean(({ expired }) => expired),
      errors: mean(({ errors }) => errors),
    };
  });
}

type Figure = (run: RunFigures) => number | null;

function percentChange(value: number | null, base: number | null | undefined): number | null {
  if (value === null || base === null || base === undefined || base === 0) return null;
  return (100 * (value - base)) / base;
}

/** Six digits: more would only pretend. */
function short(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(6));
}
