import type { PodStatus, PoolStatus } from '../endpoint-picker/status';

const COLUMNS = ['POD', 'STATE', 'KV', 'QUEUE', 'RUNNING', 'IN FLIGHT', 'PICKS', 'ADAPTERS'] as const;

/** The pods of all pools as text: a heading for each pool, a line for each pod, columns aligned over all of them. */
export function statusTable(pools: readonly PoolStatus[]): string {
  const rows = pools.map((pool) => ({ name: pool.scheduler, lines: pool.pods.map(row) }));
  const all = [COLUMNS as readonly string[], ...rows.flatMap(({ lines }) => lines)];
  const widths = COLUMNS.map((_, column) => Math.max(...all.map((cells) => cells[column]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [line(COLUMNS), ...rows.flatMap(({ name, lines }) => [`${name}:`, ...lines.map(line)])].join('\n');
}

function row(pod: PodStatus): string[] {
  return [
    `  ${pod.pod}`,
    stateOf(pod),
    pod.kvUsage === undefined ? '-' : `${Math.round(pod.kvUsage * 100)} %`,
    count(pod.waiting),
    count(pod.running),
    String(pod.inFlight),
    String(pod.picks),
    pod.adapters?.join(' ') || '-',
  ];
}

/** What matters most for whether the pod gets requests. */
function stateOf({ ready, excluded, ramping, metrics }: PodStatus): string {
  if (!ready) return 'not ready';
  if (excluded !== undefined) return `out: ${excluded}`;
  return ramping ? `${metrics}, ramping` : metrics;
}

function count(value: number | undefined): string {
  return value === undefined ? '-' : String(value);
}
