/**
 * The endpoint picker's own cost: time of a decision by pool size, with every scorer and a prompt of 256 blocks; memory
 * before and after a million picks; CPU of reading a metrics page. Times of a decision are given beside those of a bare
 * scan over as many rows in the same run: the ratio holds on any machine. `decision`, `memory` or `parser` as argument
 * runs that part alone.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { PickRequest, Ticket } from '../../runtime/endpoint-picker/endpoint-picker';
import { ROW_LENGTH } from '../../runtime/endpoint-picker/endpoint-row';
import { parseMetrics } from '../../runtime/endpoint-picker/endpoints/metrics-parser';
import type { PickerObserver } from '../../runtime/endpoint-picker/observe';
import { createPicker, type Picker } from '../../runtime/endpoint-picker/picker';
import {
  EVERY_WEIGHT,
  endpointStates,
  engineMetrics,
  gatewayState,
  type ManualMetrics,
  manualMetrics,
  pickRequest,
  residency,
  schedulerState,
  seededRandom,
} from '../runtime/endpoint-picker/support/fixtures';
import { parseWholePage, sumOfSamples } from '../runtime/endpoint-picker/support/reference-parser';
import { vllmPage } from '../runtime/endpoint-picker/support/vllm-page';

const SILENT: PickerObserver = { picked() {}, refused() {}, servedElsewhere() {}, scraped() {} };

/** Microseconds that half of the decisions may take at most. */
const TARGETS = [
  { pods: 10, micros: 5 },
  { pods: 100, micros: 50 },
  { pods: 1000, micros: 150 },
  { pods: 5000, micros: 700 },
];

function main(part = 'all'): void {
  if (part === 'all' || part === 'decision') for (const { pods, micros } of TARGETS) benchDecision(pods, micros);
  if (part === 'all' || part === 'memory') benchMemory();
  if (part === 'all' || part === 'parser') benchParser();
}

interface Rig {
  readonly picker: Picker;
  readonly metrics: ManualMetrics;
}

function createRig(pods: number, random: () => number): Rig {
  const metrics = manualMetrics();
  const picker = createPicker({
    state: gatewayState(schedulerState({ endpoints: endpointStates(pods), weights: EVERY_WEIGHT })),
    metrics,
    clock: () => performance.now(),
    random,
    observe: SILENT,
  });
  return { picker, metrics };
}

/** Every pod answers a scrape with some load. */
function scrapeAll({ metrics }: Rig, random: () => number): void {
  for (const pod of metrics.targets.keys()) {
    const running = Math.floor(random() * 30);
    metrics.tell(pod, engineMetrics({ running, kvUsage: random(), adapters: residency(['a', 'b'], 4) }));
  }
}

const BLOCKS = 256;
const PREFIXES = 50;

/** A prompt whose first half is one of 50, for one of four adapters. */
function requestOf(random: () => number): PickRequest {
  const shared = Math.floor(random() * PREFIXES) * BLOCKS;
  const prefixHashes = Array.from({ length: BLOCKS }, (_, block) =>
    block < BLOCKS / 2 ? shared + block + 1 : Math.floor(random() * 2 ** 53),
  );
  return pickRequest({ prefixHashes, promptBytes: BLOCKS * 256, adapter: 'abcd'[shared % 4]! });
}

/** Requests in flight, of which the oldest ends when there is no place for another one. */
function createInFlight(places: number): (ticket: Ticket) => void {
  const tickets = new Array<Ticket | undefined>(places);
  let at = 0;
  return (ticket) => {
    tickets[at]?.done(200);
    tickets[at] = ticket;
    at = (at + 1) % places;
  };
}

function benchDecision(pods: number, target: number): void {
  const random = seededRandom(1);
  const rig = createRig(pods, random);
  const hold = createInFlight(pods * 4);
  const rows = Float64Array.from({ length: pods * ROW_LENGTH }, random);
  const measured = 3000;
  /** The index is filled and the code is hot by then. */
  const settled = Math.max(5000, pods * 2);
  const picks = new Float64Array(measured);
  const scans = new Float64Array(measured);
  for (let i = -settled; i < measured; i++) {
    if (i % 500 === 0) scrapeAll(rig, random);
    const request = requestOf(random);
    const start = performance.now();
    const result = rig.picker.pick(request);
    const decided = performance.now();
    scan(rows);
    const scanned = performance.now();
    if (result.outcome !== 'picked') throw new Error(`a request was refused: ${result.outcome}`);
    hold(result.ticket);
    if (i < 0) continue;
    picks[i] = (decided - start) * 1000;
    scans[i] = (scanned - decided) * 1000;
  }
  void rig.picker.close();
  const [p50, p99, scanP50] = [quantile(picks, 0.5), quantile(picks, 0.99), quantile(scans, 0.5)];
  console.log(
    `decision, ${pods} pods, every scorer, ${BLOCKS} blocks: p50 ${p50.toFixed(1)} µs (target ${target}), ` +
      `p99 ${p99.toFixed(1)} µs; bare scan of the rows p50 ${scanP50.toFixed(2)} µs, ratio ${(p50 / scanP50).toFixed(0)}`,
  );
}

let seen = 0;

/** The least that a decision over all rows can do: reads each number once. */
function scan(rows: Float64Array): void {
  let highest = 0;
  for (let at = 0; at < rows.length; at++) if (rows[at]! > highest) highest = rows[at]!;
  seen += highest;
}

function quantile(samples: Float64Array, q: number): number {
  return samples.sort()[Math.floor(samples.length * q)]!;
}

/** Heap and buffers after every 10^6 / 4 picks; what is in flight has ended each time. */
function benchMemory(): void {
  const [pods, picks] = [10, 1_000_000];
  const random = seededRandom(2);
  const rig = createRig(pods, random);
  const requests = Array.from({ length: 5000 }, () => requestOf(random));
  const hold = createInFlight(pods * 10);
  const figures: string[] = [];
  for (let i = 0; i <= picks; i++) {
    if (i % 2000 === 0) scrapeAll(rig, random);
    if (i % (picks / 4) === 0) figures.push(megabytes());
    const result = rig.picker.pick(requests[i % requests.length]!);
    if (result.outcome === 'picked') hold(result.ticket);
  }
  void rig.picker.close();
  console.log(`memory at 0, 250,000, … 1,000,000 picks with releases: ${figures.join(', ')}`);
}

function megabytes(): string {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return `${((heapUsed + arrayBuffers) / 1e6).toFixed(1)} MB`;
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
if (Number.isNaN(seen)) throw new Error('the rows were not read');
