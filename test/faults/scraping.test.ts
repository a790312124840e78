import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { parseMetrics } from '../../runtime/endpoint-picker/endpoints/metrics-parser';
import { createScraper } from '../../runtime/endpoint-picker/endpoints/scraper';
import type { EngineMetrics } from '../../runtime/endpoint-picker/engine-metrics';
import type { MetricsSource } from '../../runtime/endpoint-picker/metrics-source';
import { createPicker } from '../../runtime/endpoint-picker/picker';
import {
  gatewayState,
  pickRequest,
  recordingObserver,
  schedulerState,
  seededRandom,
} from '../runtime/endpoint-picker/support/fixtures';
import { until } from '../support/until';

const PAGE = 'vllm:num_requests_waiting 0\nvllm:num_requests_running 1\nvllm:kv_cache_usage_perc 0.5\n';

interface Pod {
  readonly address: string;
  /** Scrapes that have come. */
  scrapes: number;
  mute: boolean;
  close(): void;
}

const pods: Pod[] = [];
const scrapers: MetricsSource[] = [];
afterEach(async () => {
  await Promise.all(scrapers.splice(0).map((scraper) => scraper.close()));
  for (const pod of pods.splice(0)) pod.close();
});

async function startPod(): Promise<Pod> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((_, response) => {
    pod.scrapes += 1;
    if (!pod.mute) response.end(PAGE);
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pod: Pod = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    scrapes: 0,
    mute: false,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  pods.push(pod);
  return pod;
}

function rig() {
  const logs: string[] = [];
  const log = {
    info: (_: object, text: string) => logs.push(text),
    warn: (_: object, text: string) => logs.push(text),
  };
  const observe = recordingObserver();
  const scraper = createScraper({
    clock: () => performance.now(),
    random: seededRandom(1),
    observe,
    log,
    intervalMs: 5,
    idleIntervalMs: 5,
    timeoutMs: 100,
  });
  scrapers.push(scraper);
  return { scraper, logs, observe };
}

function watch(scraper: MetricsSource, pod: Pod, answered: (answer: EngineMetrics | 'no-metrics') => void = () => {}) {
  return scraper.watch({
    address: pod.address,
    pod: `models/${pod.address}`,
    scheduler: 'models/llama',
    engine: 'vllm',
    busy: () => false,
    sent() {},
    answered,
    failed() {},
    paced() {},
  });
}

test('one pod that never answers does not keep the others from being read', async () => {
  const { scraper } = rig();
  const mute = Array.from({ length: 20 }, () => startPod());
  for (const pod of await Promise.all(mute)) {
    pod.mute = true;
    watch(scraper, pod);
  }
  const live = await startPod();
  let answers = 0;
  watch(scraper, live, () => {
    answers += 1;
  });
  await until('twenty scrapes of the pod that answers', () => answers >= 20);
});

test('a pod is registered for good: it is read once it listens, however late that is', async () => {
  const { scraper } = rig();
  const late = await startPod();
  late.mute = true;
  let answers = 0;
  watch(scraper, late, () => {
    answers += 1;
  });
  await until('the first scrape', () => late.scrapes > 1);
  late.mute = false;
  await until('an answer', () => answers > 0);
});

test('a fault that lasts is one line in the log, however often it shows', async () => {
  const { scraper, logs, observe } = rig();
  const pod = await startPod();
  pod.close();
  watch(scraper, pod);
  await until('ten scrapes', () => observe.lines.length >= 10);
  expect(logs).toHaveLength(1);
});

test('a decision asks no pod: a thousand of them cause no scrape of their own', async () => {
  const pod = await startPod();
  const scraper = createScraper({
    clock: () => performance.now(),
    random: seededRandom(1),
    observe: recordingObserver(),
    log: { info() {}, warn() {} },
    intervalMs: 60_000,
    idleIntervalMs: 60_000,
  });
  scrapers.push(scraper);
  const endpoints = [{ address: pod.address, pod: 'models/llama-0', ready: true }];
  const picker = createPicker({
    state: gatewayState(schedulerState({ endpoints })),
    metrics: scraper,
    clock: () => performance.now(),
    random: seededRandom(1),
    observe: recordingObserver(),
  });
  await until('the first scrape', () => picker.status()[0]!.pods[0]!.metrics === 'fresh');
  const before = pod.scrapes;
  for (let i = 0; i < 1_000; i++) {
    const result = picker.pick(pickRequest());
    if (result.outcome === 'picked') result.ticket.done(200);
    if (i % 100 === 0) await new Promise(setImmediate);
  }
  expect(pod.scrapes).toBe(before);
  await picker.close();
});

describe('the share of the KV cache', () => {
  const usage = (text: string) => parseMetrics(Buffer.from(text), 'vllm').kvUsage;

  test('is found under its name of today and its former one, and today’s wins', () => {
    expect(usage('vllm:kv_cache_usage_perc{engine="0"} 0.25\n')).toBe(0.25);
    expect(usage('vllm:gpu_cache_usage_perc{model_name="a"} 0.5\n')).toBe(0.5);
    expect(usage('vllm:gpu_cache_usage_perc 0.5\nvllm:kv_cache_usage_perc 0.25\n')).toBe(0.25);
  });

  test('is not taken for 0 where it is not told', () => {
    expect(usage('vllm:num_requests_waiting 3\n')).toBeNaN();
  });

  test.each(['1.7', '1e300', '57'])('is never above all of it: %s', (value) => {
    expect(usage(`vllm:kv_cache_usage_perc ${value}\n`)).toBe(1);
  });
});
