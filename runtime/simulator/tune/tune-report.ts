import { stringify } from 'yaml';
import type { CompleteWeights } from '../../../lib/api/inference-gateway-config/scorer-weights';
import { secondsText } from '../report/figure-text';
import type { Change } from './compare-tails';
import type { TuneStep } from './tune';

export interface TuneReportOptions {
  readonly requests: number;
  readonly pods: number;
  /** The scheduler's `spec.schedulers[].name`. */
  readonly scheduler: string;
  readonly present: CompleteWeights;
}

/** What tuning found, for a person; the last step is that of `tune`. */
export function tuneReport({ requests, pods, scheduler, present }: TuneReportOptions, last: TuneStep): string {
  const { comparison, weights } = last;
  const lines = [
    `Simulation: ${requests} requests on ${pods} simulated pods, ${last.trial} sets of weights tried.`,
    `present  ${weightsText(present)}`,
  ];
  if (comparison === undefined)
    return [...lines, 'No change found: nothing did better where it was searched.'].join('\n');
  lines.push(
    `found    ${weightsText(weights)}`,
    'Time to first token on the parts of the trace that were held out, with 95 % interval:',
    changeText('P95', comparison.p95),
    changeText('P99', comparison.p99),
  );
  if (!comparison.better)
    return [...lines, 'No change found: what was found holds up no better than by chance, or makes P99 worse.'].join(
      '\n',
    );
  const yaml = stringify({ spec: { schedulers: [{ name: scheduler, weights: withoutZeros(weights) }] } });
  return [...lines, 'To apply, in the InferenceGatewayConfig:', yaml].join('\n');
}

function changeText(name: string, { before, after, percent, low, high }: Change): string {
  return `  ${name}  ${secondsText(before)} -> ${secondsText(after)}  ${signed(percent)} % (${signed(low)} to ${signed(high)})`;
}

function signed(percent: number): string {
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)}`;
}

function weightsText(weights: CompleteWeights): string {
  const used = Object.entries(weights).filter(([, weight]) => weight > 0);
  return used.map(([name, weight]) => `${name} ${weight}`).join(', ');
}

/** A weight that is left out is 0, except these three. */
const DEFAULTED = new Set(['queue', 'kvCache', 'prefix']);

function withoutZeros(weights: CompleteWeights): Partial<CompleteWeights> {
  return Object.fromEntries(Object.entries(weights).filter(([name, weight]) => weight > 0 || DEFAULTED.has(name)));
}
