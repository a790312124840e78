import type { Cell } from './measurement';
import { type Spread, spread } from './quantiles';
import {
  bodyLabel,
  cellsOf,
  compared,
  loadLabel,
  markdown,
  netProcessorMicros,
  type Results,
  roundsOf,
  text,
} from './tables';

interface Target {
  readonly figure: string;
  readonly at: string;
  readonly value: Spread | undefined;
  readonly digits: number;
  /** Undefined: stated only. */
  readonly limit?: number;
  readonly atLeast?: boolean;
}

const SMALL_BODY_BYTES = 4 * 1024;

/** The figures that the gateway is held to, each with what this run gave. */
export function targetTable(results: Results): string {
  const targets = [...cellsOf(results).flatMap((cell) => cellTargets(results, cell)), ...scrapeTargets(results)];
  return markdown(
    ['figure', 'at', 'target', 'measured', ''],
    targets.map(({ figure, at, value, digits, limit, atLeast }) => {
      if (value === undefined || limit === undefined)
        return [figure, at, limit ?? '–', text(value, digits), '–'].map(String);
      const met = (atLeast ? value.median >= limit : value.median <= limit) ? 'met' : 'missed';
      return [figure, at, `${atLeast ? '≥' : '≤'} ${limit}`, text(value, digits), met];
    }),
  );
}

function cellTargets(results: Results, cell: Cell): readonly Target[] {
  const { load, bodyBytes, pods } = cell;
  const small = bodyBytes === SMALL_BODY_BYTES;
  const at = `${pods} pods, ${bodyLabel(bodyBytes)}, ${loadLabel(load)}`;
  const closed = load.kind === 'closed';
  if (!closed && load.perSecond !== 300) return [];
  const rounds = roundsOf(results, cell, 'gateway');
  const cpu: Target = {
    figure: 'router + picker, CPU µs a request, net of scraping',
    at,
    value: spread(rounds.map((sample) => netProcessorMicros(results, sample))),
    digits: 0,
    limit: small ? 400 : 1_700,
  };
  const rpc: Target = {
    figure: 'CPU µs a request of the picker RPC, (d) − (b)',
    at,
    value: compared(results, cell, ['split', 'gateway'], (d, b) => (d.processorMicros ?? 0) - (b.processorMicros ?? 0)),
    digits: 0,
  };
  if (closed) {
    const ratio = compared(results, cell, ['gateway', 'empty'], (b, c) => b.perSecond / c.perSecond);
    const split = compared(results, cell, ['split', 'empty'], (d, c) => d.perSecond / c.perSecond);
    return [
      { figure: 'req/s, (b) / (c)', at, value: ratio, digits: 2, limit: 0.7, atLeast: true },
      { figure: 'req/s, (d) / (c)', at, value: split, digits: 2, limit: 0.7, atLeast: true },
      cpu,
      rpc,
    ];
  }
  const added = (figure: 'p50Ms' | 'p99Ms', leg: 'gateway' | 'split' = 'gateway') =>
    compared(results, cell, [leg, 'alone'], (b, a) => b[figure] - a[figure]);
  const decision: Target = {
    figure: 'decision p50 µs',
    at,
    value: spread(rounds.map((sample) => sample.decision?.p50Micros)),
    digits: 0,
    limit: 50,
  };
  return [
    ...(small && pods === 100 ? [decision] : []),
    { figure: 'added latency p50 ms, (b) − (a)', at, value: added('p50Ms'), digits: 2, limit: 1 },
    { figure: 'added latency p99 ms, (b) − (a)', at, value: added('p99Ms'), digits: 1, limit: 5 },
    cpu,
    { figure: 'added latency p50 ms, (d) − (a)', at, value: added('p50Ms', 'split'), digits: 2, limit: 1 },
    { figure: 'added latency p99 ms, (d) − (a)', at, value: added('p99Ms', 'split'), digits: 1, limit: 5 },
    rpc,
  ];
}

function scrapeTargets(results: Results): readonly Target[] {
  return [false, true].map((working) => ({
    figure: 'router cores for scraping',
    at: `100 pods, ${working ? 'busy' : 'idle'}`,
    value: spread(results.scrapes.filter((one) => one.pods === 100 && one.working === working).map((one) => one.cores)),
    digits: 3,
    limit: working ? 0.3 : 0.1,
  }));
}
