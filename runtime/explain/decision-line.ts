import type { Explanation } from '../endpoint-picker/scheduling/explanation';

/** Longest line, in characters: it becomes a response header. */
const MAX_LENGTH = 1024;

/** Endpoints in the line: the choice and its fallbacks. */
const MAX_PODS = 3;

/**
 * A decision in one line of printable ASCII: the pods first in order, each with its total and the scores that it is made
 * of, as `llama-0 2.31 (queue 1.00 kvCache 0.80) > llama-1 …`; `=` stands between equal totals, `~` before a pod whose total is
 * higher, but so little that it counts as equal.
 */
export function decisionLine({ candidates }: Explanation): string {
  const shown = candidates.slice(0, MAX_PODS);
  const line = shown.map(({ pod, total, scores }, place) => {
    const before = place === 0 ? '' : ` ${relation(shown[place - 1]!.total, total)} `;
    const parts = Object.entries(scores).map(([name, score]) => `${name} ${score.toFixed(2)}`);
    return `${before}${shortName(pod)} ${total.toFixed(2)}${parts.length === 0 ? '' : ` (${parts.join(' ')})`}`;
  });
  return line.join('').slice(0, MAX_LENGTH);
}

function relation(total: number, next: number): string {
  return total === next ? '=' : total > next ? '>' : '~';
}

/** The name of a pod without its namespace. */
function shortName(pod: string): string {
  return pod.slice(pod.indexOf('/') + 1).replace(/[^\x21-\x7e]/g, '?');
}
