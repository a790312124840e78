/**
 * CPU that scraping a pool costs the picker, at the default interval, with pages of a real vLLM server's size. The
 * servers run in a process of their own. Beside it the cost of fetching the same pages, as often, and reading nothing in
 * them: the ratio of the two holds on any machine.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Client } from 'undici';
import { createScraper } from '../../runtime/endpoint-picker/endpoints/scraper';
import { createMetricsPages } from './overhead/metrics-page';

const POOLS = [100, 1000];
const WORKS = ['busy', 'idle'] as const;
type Work = (typeof WORKS)[number];

/** Idle pods need two to get to their interval. */
const WARM_UP_MS = 3000;
const MEASURED_MS = 5000;

interface Cost {
  readonly pagesPerSecond: number;
  readonly cores: number;
  readonly microsecondsPerPage: number;
}

/** A way to fetch pages that goes on until it is stopped. */
interface Fetching {
  readonly pages: () => number;
  stop(): Promise<void>;
}

async function main(): Promise<void> {
  for (const pods of POOLS) for (const work of WORKS) await bench(pods, work);
}

async function bench(pods: number, work: Work): Promise<void> {
  const servers = fork(__filename, ['serve', String(pods), work], { execArgv: process.execArgv });
  const [addresses] = (await once(servers, 'message')) as [string[]];
  const scraping = await measure(scrape(addresses, work));
  const fetching = await measure(fetchOnly(addresses, (pods * 1000) / scraping.pagesPerSecond));
  servers.kill();
  const ratio = scraping.microsecondsPerPage / fetching.microsecondsPerPage;
  console.log(
    `${pods} ${work} pods: ${scraping.pagesPerSecond.toFixed(0)} pages/s, ${scraping.cores.toFixed(3)} core, ` +
      `${scraping.microsecondsPerPage.toFixed(0)} µs CPU a page; ` +
      `fetched alone ${fetching.microsecondsPerPage.toFixed(0)} µs; ratio ${ratio.toFixed(2)}`,
  );
}

async function measure({ pages, stop }: Fetching): Promise<Cost> {
  await sleep(WARM_UP_MS);
  const before = pages();
  const start = performance.now();
  const cpu = process.cpuUsage();
  await sleep(MEASURED_MS);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - start) / 1000;
  const count = pages() - before;
  await stop();
  const microseconds = user + system;
  return {
    pagesPerSecond: count / seconds,
    cores: microseconds / 1e6 / seconds,
    microsecondsPerPage: microseconds / count,
  };
}

function scrape(addresses: readonly string[], work: Work): Fetching {
  let pages = 0;
  const scraper = createScraper({
    clock: () => performance.now(),
    random: Math.random,
    observe: {
      scraped(_scheduler, outcome) {
        if (outcome === 'ok') pages += 1;
      },
    },
    log: { info: () => undefined, warn: (fields, message) => console.error(message, fields) },
  });
  for (const address of addresses) {
    scraper.watch({
      address,
      pod: address,
      scheduler: 'models/llama',
      engine: 'vllm',
      busy: () => work === 'busy',
      sent: () => undefined,
      answered: () => undefined,
      failed: () => undefined,
      paced: () => undefined,
    });
  }
  return { pages: () => pages, stop: () => scraper.close() };
}

/** Each page is requested `intervalMs` after the one before, at a moment of its own, and its bytes are dropped. */
function fetchOnly(addresses: readonly string[], intervalMs: number): Fetching {
  let pages = 0;
  let stopped = false;
  const timers = new Set<NodeJS.Timeout>();
  const clients = addresses.map((address) => new Client(`http://${address}`));
  for (const client of clients) {
    const get = () =>
      client.dispatch(
        { path: '/metrics', method: 'GET' },
        {
          onRequestStart: () => undefined,
          onResponseStart: () => undefined,
          onResponseData: () => undefined,
          onResponseEnd() {
            pages += 1;
          },
          onResponseError(_controller, error) {
            if (!stopped) throw error;
          },
        },
      );
    const begin = setTimeout(() => {
      get();
      timers.add(setInterval(get, intervalMs));
    }, Math.random() * intervalMs);
    timers.add(begin);
  }
  return {
    pages: () => pages,
    async stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(clients.map((client) => client.destroy()));
    },
  };
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** In the child process: one port for each pod. Pages are whole answers made in advance, to leave the CPU to the other. */
async function serve(pods: number, work: string): Promise<void> {
  const { idle, busy } = createMetricsPages('meta-llama/Llama-3.1-8B-Instruct');
  const answers = (work === 'busy' ? busy : [idle]).map((page) =>
    Buffer.from(
      `HTTP/1.1 200 OK\r\ncontent-type: text/plain; version=0.0.4\r\ncontent-length: ${Buffer.byteLength(page)}\r\n\r\n${page}`,
    ),
  );
  let turn = 0;
  const answer = (socket: Socket) => {
    socket.on('error', () => undefined);
    // One request comes in one segment: it is short, and the next waits for the answer.
    socket.on('data', () => {
      turn += 1;
      socket.write(answers[turn % answers.length]!);
    });
  };
  const addresses = Array.from({ length: pods }, async () => {
    const server = createServer({ noDelay: true }, answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  process.send!(await Promise.all(addresses));
  // Without its parent it has nothing to do.
  process.once('disconnect', () => process.exit());
}

const role = process.argv[2] === 'serve' ? serve(Number(process.argv[3]), process.argv[4]!) : main();
role.catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
