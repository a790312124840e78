import type { EngineMetrics } from '../../../../runtime/endpoint-picker/engine-metrics';
import type { ScrapeTarget } from '../../../../runtime/endpoint-picker/metrics-source';
import { createAgenda } from '../../../../runtime/simulator/fleet/agenda';
import type { FleetPod, ScrapeInterval } from '../../../../runtime/simulator/fleet/policy';
import { createSimulatedScrapes, type ScrapeNetwork } from '../../../../runtime/simulator/fleet/simulated-scrapes';

interface Surroundings {
  readonly interval?: ScrapeInterval;
  readonly network?: ScrapeNetwork;
  readonly random?: () => number;
}

const LOSSLESS: ScrapeNetwork = { delaySeconds: 0.01, loss: 0 };

/** One watched pod; what its target is told, each with the time of the virtual clock. `random` at 0 scrapes at once. */
function watchOne({ interval, network = LOSSLESS, random = () => 0 }: Surroundings = {}) {
  const agenda = createAgenda();
  const told: Array<readonly [string, number, number?]> = [];
  const state = { now: 0, busy: false, lost: false, out: false, there: true };
  const page = () => ({ waiting: state.now }) as EngineMetrics;
  const source = createSimulatedScrapes({
    agenda,
    now: () => state.now,
    random,
    network,
    interval: interval ?? { busySeconds: 0.2, idleSeconds: 1 },
    podAt: () => (state.there ? { pod: { metrics: page } as FleetPod, lost: state.lost } : undefined),
    isOut: () => state.out,
  });
  const target: ScrapeTarget = {
    address: '10.0.0.1:8000',
    pod: 'fleet/pod-0',
    scheduler: 'fleet/model',
    engine: 'vllm',
    busy: () => state.busy,
    sent: () => told.push(['sent', state.now]),
    answered: (metrics) => told.push(['answered', state.now, (metrics as EngineMetrics).waiting]),
    failed: (how) => told.push([how, state.now]),
    paced: (ms) => told.push(['paced', state.now, ms]),
  };
  const watch = source.watch(target);

  function until(end: number): void {
    while (agenda.nextTime() <= end) {
      state.now = agenda.nextTime();
      agenda.perform();
    }
    state.now = end;
  }
  const timesOf = (what: string) => told.filter(([kind]) => kind === what).map(([, at]) => Number(at.toFixed(6)));
  return { watch, state, told, until, timesOf };
}

test('a pod without work is scraped at the idle interval, of which the target is told first', () => {
  const { told, until, timesOf } = watchOne();
  expect(told).toEqual([['paced', 0, 1000]]);
  until(3.5);
  expect(timesOf('sent')).toEqual([0, 1, 2, 3]);
});

test('the first scrape comes by chance within the shorter interval', () => {
  const { until, timesOf } = watchOne({ random: () => 0.5 });
  until(0.5);
  expect(timesOf('sent')).toEqual([0.1]);
});

test('a pod with work is scraped at the busy interval, until it has none', () => {
  const { state, told, until, timesOf } = watchOne();
  state.busy = true;
  until(0.5);
  state.busy = false;
  until(2);
  expect(timesOf('sent')).toEqual([0, 0.2, 0.4, 0.6, 1.6]);
  expect(told.filter(([kind]) => kind === 'paced').map(([, , ms]) => ms)).toEqual([1000, 200, 1000]);
});

test('an answer shows the pod as it was half-way', () => {
  const { told, until } = watchOne();
  until(0.5);
  expect(told.filter(([kind]) => kind === 'answered')).toEqual([['answered', 0.01, 0.005]]);
});

test('a wake brings the next scrape within the busy interval, and drops the idle one', () => {
  const { watch, state, told, until, timesOf } = watchOne();
  until(0.3);
  state.busy = true;
  watch.wake();
  watch.wake();
  until(1);
  expect(timesOf('sent')).toEqual([0, 0.5, 0.7, 0.9]);
  expect(told.filter(([kind]) => kind === 'paced').map(([, , ms]) => ms)).toEqual([1000, 200]);
});

test('a wake just before a scrape changes nothing', () => {
  const { watch, until, timesOf } = watchOne();
  until(0.9);
  watch.wake();
  until(1.95);
  expect(timesOf('sent')).toEqual([0, 1]);
});

test('a lost scrape is never answered, and the next one comes in its time', () => {
  const random = [0, 0.05, 0.95, 0.05, 0.95];
  const { until, timesOf } = watchOne({ network: { delaySeconds: 0.01, loss: 0.1 }, random: () => random.shift()! });
  until(3.5);
  expect(timesOf('sent')).toEqual([0, 1, 2, 3]);
  expect(timesOf('answered')).toEqual([1.01, 3.01]);
  expect(timesOf('refused')).toEqual([]);
});

test('in an outage no scrape is answered; afterwards they are again', () => {
  const { state, until, timesOf } = watchOne();
  until(0.5);
  state.out = true;
  until(2.5);
  state.out = false;
  until(3.5);
  expect(timesOf('answered')).toEqual([0.01, 3.01]);
  expect(timesOf('refused')).toEqual([]);
});

test('a lost pod refuses, which is known after a round trip', () => {
  const { state, until, timesOf } = watchOne();
  state.lost = true;
  until(1.5);
  expect(timesOf('refused')).toEqual([0.01, 1.01]);
  expect(timesOf('answered')).toEqual([]);
});

test('an address that is no pod’s never answers', () => {
  const { state, until, timesOf } = watchOne();
  state.there = false;
  until(1.5);
  expect([timesOf('answered'), timesOf('refused')]).toEqual([[], []]);
});

test('after a stop nothing is told, not even an answer on its way or a wake', () => {
  const { watch, state, told, until } = watchOne();
  until(0.002);
  watch.stop();
  const before = told.length;
  state.busy = true;
  watch.wake();
  until(5);
  expect(told.length).toBe(before);
});
