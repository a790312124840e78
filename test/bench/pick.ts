/**
 * The endpoint picker's own cost: time of a decision by pool size, with every scorer and a prompt of 256 blocks; memory
 * before and after a million picks, and of an index of a million prefixes; CPU of reading a metrics page. Times of a
 * decision are given beside those of a bare scan over as many rows in the same run: the ratio holds on any machine.
 * `decision`, `memory` or `parser` as argument runs that part alone.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { PickRequest, Ticket } from '../../runtime/endpoint-picker/endpoint-picker';
import { ROW_LENGTH } from '../../runtime/endpoint-picker/endpoint-row';
import { parseMetrics } from '../../runtime/endpoint-picker/endpoints/metrics-parser';
import type { PickerObserver } from '../../runtime/endpoint-picker/observe';
import { createPicker, type Picker } from '../../runtime/endpoint-picker/picker';
import { createPrefixIndex } from '../../runtime/endpoint-picker/prefix/prefix-index';
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
import { quantile } from './overhead/quantiles';

const SILENT: PickerObserver = { picked() {}, refused() {}, servedElsewhere() {}, retried() {}, scraped() {} };

/** Microseconds that half of the decisions may take at most. */
const TARGETS = [
  { pods: 10, micros: 5 },
  { pods: 100, micros: 50 },
  { pods: 1000, micros: 150 },
  { pods: 5000, micros: 700 },
];

function main(part = 'all'): void {
  // First, as what others leave behind is not always collected at once.
  if (part === 'all' || part === 'memory') {
    benchMemory();
    benchIndex();
  }
  if (part === 'all' || part === 'decision') for (const { pods, micros } of TARGETS) benchDecision(pods, micros);
  if (part === 'all' || part === 'parser') benchParser();
}

interface Rig {
  readonly picker: Picker;
  readonly metrics: ManualMetrics;
  /** Milliseconds: moved on with each request, so that metrics age by load and not by how slow the machine is. */
  now: number;
  /** Writes the last prompt into the index, as happens after the answer. */
  settle(): void;
}

const REQUESTS_PER_SECOND = 500;

function createRig(pods: number, random: () => number): Rig {
  const metrics = manualMetrics();
  let unsettled: () => void = () => undefined;
  const rig = { metrics, now: 100_000, settle: () => unsettled() } as Omit<Rig, 'picker'> & { picker: Picker };
  rig.picker = createPicker({
    state: gatewayState(schedulerState({ endpoints: endpointStates(pods), weights: EVERY_WEIGHT })),
    metrics,
    clock: () => rig.now,
    random,
    observe: SILENT,
    later(work) {
      unsettled = work;
    },
  });
  return rig;
}

const ADAPTERS = Array.from({ length: 15 }, (_, i) => `adapter-${i}`);
const SLOTS = 3;

/** Every pod answers a scrape with some load. */
function scrapeAll({ metrics }: Rig, random: () => number): void {
  for (const pod of metrics.targets.keys()) {
    const running = Math.floor(random() * 30);
    const adapters = residency([adapterOf(random)], SLOTS, [adapterOf(random)]);
    metrics.tell(pod, engineMetrics({ running, kvUsage: random(), adapters }));
  }
}

/** Few are asked for often. */
function adapterOf(random: () => number): string {
  return ADAPTERS[Math.floor(random() ** 2 * ADAPTERS.length)]!;
}

const BLOCKS = 256;
const PREFIXES = 50;

/** A prompt whose first half is one of 50, for an adapter. */
function requestOf(random: () => number, blocks = BLOCKS): PickRequest {
  const shared = Math.floor(random() * PREFIXES) * BLOCKS;
  const prefixHashes = Array.from({ length: blocks }, (_, block) =>
    block < blocks / 2 ? shared + block + 1 : Math.floor(random() * 2 ** 53),
  );
  return pickRequest({ prefixHashes, promptBytes: blocks * 256, adapter: adapterOf(random) });
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

/** Half of the decisions of the best round: other work on the machine only ever adds to them. */
const ROUNDS = 5;

function benchDecision(pods: number, target: number): void {
  const random = seededRandom(1);
  const rig = createRig(pods, random);
  const hold = createInFlight(pods * 4);
  const rows = Float64Array.from({ length: pods * ROW_LENGTH }, random);
  const perRound = 1000;
  const times = {
    pick: new Float64Array(perRound),
    settle: new Float64Array(perRound),
    scan: new Float64Array(perRound),
  };
  const rounds: Array<Record<keyof typeof times, number> & { readonly p99: number }> = [];
  /** The index is filled and the code is hot by then. */
  const settled = Math.max(5000, pods * 2);
  for (let i = -settled; i < ROUNDS * perRound; i++) {
    if (i % 500 === 0) scrapeAll(rig, random);
    const request = requestOf(random);
    rig.now += 1000 / REQUESTS_PER_SECOND;
    const start = performance.now();
    const result = rig.picker.pick(request);
    const decided = performance.now();
    rig.settle();
    const written = performance.now();
    scan(rows);
    const scanned = performance.now();
    if (result.outcome !== 'picked') throw new Error(`a request was refused: ${result.outcome}`);
    hold(result.ticket);
    if (i < 0) continue;
    times.pick[i % perRound] = (decided - start) * 1000;
    times.settle[i % perRound] = (written - decided) * 1000;
    times.scan[i % perRound] = (scanned - written) * 1000;
    if (i % perRound !== perRound - 1) continue;
    const [pick, settle, scanning] = [times.pick, times.settle, times.scan].map((each) => quantile(each, 0.5));
    rounds.push({ pick: pick!, settle: settle!, scan: scanning!, p99: quantile(times.pick, 0.99) });
  }
  void rig.picker.close();
  const best = (name: keyof (typeof rounds)[0]) => Math.min(...rounds.map((round) => round[name]));
  console.log(
    `decision, ${pods} pods, every scorer, ${BLOCKS} blocks: p50 ${best('pick').toFixed(1)} µs (target ${target}), ` +
      `p99 ${best('p99').toFixed(1)} µs; prompt written down after the answer ${best('settle').toFixed(1)} µs; ` +
      `bare scan of the rows ${best('scan').toFixed(2)} µs, ratio ${(best('pick') / best('scan')).toFixed(0)}`,
  );
}

let seen = 0;

/** The least that a decision over all rows can do: reads each number once. */
function scan(rows: Float64Array): void {
  let highest = 0;
  for (let at = 0; at < rows.length; at++) if (rows[at]! > highest) highest = rows[at]!;
  seen += highest;
}

/** Heap and buffers after every quarter of a million picks. The clock goes on as above. */
function benchMemory(): void {
  const [pods, picks] = [10, 1_000_000];
  const random = seededRandom(2);
  const rig = createRig(pods, random);
  const requests = Array.from({ length: 20_000 }, () => requestOf(random, 16));
  const hold = createInFlight(pods * 10);
  const figures: string[] = [];
  for (let i = 0; i <= picks; i++) {
    if (i % 2000 === 0) scrapeAll(rig, random);
    if (i % (picks / 4) === 0) figures.push(megabytes());
    rig.now += 1000 / REQUESTS_PER_SECOND;
    const result = rig.picker.pick(requests[i % requests.length]!);
    rig.settle();
    if (result.outcome === 'picked') hold(result.ticket);
  }
  void rig.picker.close();
  console.log(`memory at 0, 250,000, … 1,000,000 picks with releases: ${figures.join(', ')}`);
}

/** A million prefixes of 16 blocks over 1,000 pods, in an index of default size. */
function benchIndex(): void {
  const [pods, prefixes, blocks] = [1000, 1_000_000, 16];
  const before = megabytes();
  const index = createPrefixIndex(seededRandom(3));
  const reserved = megabytes();
  const hashes = new Array<number>(blocks);
  const start = performance.now();
  for (let prefix = 0; prefix < prefixes; prefix++) {
    for (let block = 0; block < blocks; block++) hashes[block] = prefix * blocks + block + 1;
    index.add(hashes, prefix % pods);
  }
  const micros = ((performance.now() - start) * 1000) / prefixes;
  const full = megabytes();
  for (let pod = 0; pod < pods; pod++) index.purge(pod);
  console.log(
    `prefix index, ${prefixes} prefixes of ${blocks} blocks over ${pods} pods: ${before} before, ${reserved} reserved, ` +
      `${full} when all were added (${micros.toFixed(1)} µs each), ${megabytes()} when the pods were gone`,
  );
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
