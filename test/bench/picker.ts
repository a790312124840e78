/**
 * The endpoint picker's own cost: time of a decision by pool size, and CPU of reading a metrics page. Run:
 * `npx tsx test/bench/picker.ts`.
 */
import { parseMetrics } from '../../runtime/endpoint-picker/endpoints/metrics-parser';
import type { PickerObserver } from '../../runtime/endpoint-picker/observe';
import { createPicker } from '../../runtime/endpoint-picker/picker';
import {
  endpointStates,
  engineMetrics,
  gatewayState,
  manualMetrics,
  pickRequest,
  schedulerState,
  seededRandom,
} from '../runtime/endpoint-picker/support/fixtures';
import { parseWholePage, sumOfSamples } from '../runtime/endpoint-picker/support/reference-parser';
import { vllmPage } from '../runtime/endpoint-picker/support/vllm-page';

const SILENT: PickerObserver = { picked() {}, refused() {}, servedElsewhere() {}, scraped() {} };

/** `decision` or `parser` as argument runs that part alone. */
function main(part = 'all'): void {
  if (part !== 'parser') benchDecisions();
  if (part !== 'decision') benchParser();
}

function benchDecisions(): void {
  for (const pods of [10, 100, 1000]) benchDecision({ pods });
  for (const pods of [10, 100]) benchDecision({ pods, cold: true });
  benchDecision({ pods: 100, everyScorer: true });
}

interface DecisionBench {
  readonly pods: number;
  readonly everyScorer?: boolean;
  /** Other data is walked between two picks, so that each begins with cold caches, as at a few hundred requests a second. */
  readonly cold?: boolean;
}

function benchDecision({ pods, everyScorer = false, cold = false }: DecisionBench): void {
  const metrics = manualMetrics();
  const weights = { queue: 2, kvCache: 2, prefix: 3, lru: 1, loraAffinity: 1, runningRequests: 1, predictedLatency: 1 };
  const scheduler = schedulerState({ endpoints: endpointStates(pods), ...(everyScorer && { weights }) });
  const random = seededRandom(1);
  const picker = createPicker({
    state: gatewayState(scheduler),
    metrics,
    clock: () => performance.now(),
    random,
    observe: SILENT,
  });
  const picks = 20_000;
  /** From here on the index is filled, and picks count. */
  const settled = 15_000;
  const times = new Float64Array(picks);
  const tickets: Array<{ done(): void }> = [];
  for (let i = 0; i < picks; i++) {
    if (i % 500 === 0)
      for (const pod of metrics.targets.keys()) metrics.tell(pod, engineMetrics({ kvUsage: random() }));
    // Half of each prompt is one of 50 shared prefixes.
    const shared = Math.floor(random() * 50);
    const prefixHashes = Array.from({ length: 16 }, (_, block) =>
      block < 8 ? shared * 100 + block + 1 : Math.floor(random() * 2 ** 53),
    );
    const request = pickRequest({ prefixHashes, promptBytes: 4096 });
    if (cold && i >= settled) walkOtherData();
    const start = performance.now();
    const result = picker.pick(request);
    times[i] = (performance.now() - start) * 1000;
    if (result.outcome === 'picked') tickets.push(result.ticket);
    if (tickets.length > pods * 4) tickets.shift()!.done();
  }
  const scorers = everyScorer ? 'every scorer' : 'default weights';
  const caches = cold ? 'cold' : 'warm';
  const steady = times.subarray(settled).sort();
  console.log(`decision, ${pods} pods, 16 blocks, ${scorers}, ${caches} caches: ${quantiles(steady)}`);
  void picker.close();
}

/** Larger than a core's own caches. */
const OTHER_DATA = new Int32Array((8 << 20) / Int32Array.BYTES_PER_ELEMENT);
const CACHE_LINE = 16;

function walkOtherData(): void {
  for (let at = 0; at < OTHER_DATA.length; at += CACHE_LINE) OTHER_DATA[at]! += 1;
}

function quantiles(sorted: Float64Array): string {
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(1);
  const mean = sorted.reduce((sum, time) => sum + time, 0) / sorted.length;
  return `p50 ${at(0.5)} µs, p99 ${at(0.99)} µs, mean ${mean.toFixed(1)} µs`;
}

function benchParser(): void {
  const page = vllmPage({ waiting: 3, running: 12, kvUsage: 0.42 });
  const selective = timed(4000, () => parseMetrics(page, 'vllm').waiting);
  const whole = timed(100, () => sumOfSamples(parseWholePage(page.toString()), 'vllm:num_requests_waiting'));
  console.log(
    `metrics page of ${(page.length / 1000).toFixed(1)} KB: selective ${selective.toFixed(1)} µs, ` +
      `whole page into objects ${whole.toFixed(0)} µs (${(whole / selective).toFixed(0)}x)`,
  );
}

/** Microseconds for one call; the answer is used, so that the call is not optimised away. */
function timed(rounds: number, call: () => number): number {
  let sink = 0;
  for (let i = 0; i < rounds; i++) sink += call();
  const start = performance.now();
  for (let i = 0; i < rounds; i++) sink += call();
  const elapsed = performance.now() - start;
  if (Number.isNaN(sink)) throw new Error('the page was not read');
  return (elapsed * 1000) / rounds;
}

main(process.argv[2]);
