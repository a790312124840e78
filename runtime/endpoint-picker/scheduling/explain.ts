import type { WeightedScorer } from './weigh';

/** Longest explanation, in characters: it becomes a response header. */
const MAX_LENGTH = 1024;

/**
 * The decision in one line: the chosen pods, best first, each with its total and the scores that it is made of, as
 * `llama-0 2.31 (queue 1.00 kvCache 0.80) > llama-1 …`; `=` stands between equal totals. Printable ASCII.
 */
export function explain(
  pods: readonly string[],
  rows: Int32Array,
  totals: Float64Array,
  scorers: readonly WeightedScorer[],
): string {
  const parts = pods.map((pod, place) => {
    const row = rows[place]!;
    const scores = scorers.map(({ name, scores }) => `${name} ${scores[row]!.toFixed(2)}`).join(' ');
    return `${shortName(pod)} ${totals[row]!.toFixed(2)}${scores === '' ? '' : ` (${scores})`}`;
  });
  const line = parts.reduce((before, part, place) => {
    const tie = totals[rows[place]!] === totals[rows[place - 1]!];
    return `${before} ${tie ? '=' : '>'} ${part}`;
  });
  return line.slice(0, MAX_LENGTH);
}

/** The name of a pod without its namespace. */
function shortName(pod: string): string {
  return pod.slice(pod.indexOf('/') + 1).replace(/[^\x21-\x7e]/g, '?');
}
