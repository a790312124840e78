import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EngineType } from '../../../../lib/translate/gateway-state';
import { createScraper, type ScraperOptions } from '../../../../runtime/endpoint-picker/endpoints/scraper';
import type { EngineMetrics } from '../../../../runtime/endpoint-picker/engine-metrics';
import type { MetricsSource } from '../../../../runtime/endpoint-picker/metrics-source';
import { recordingObserver } from '../support/fixtures';
import { vllmPage } from '../support/vllm-page';

const PAGE = vllmPage({ waiting: 2, running: 5, kvUsage: 0.5 });

interface ModelServer {
  readonly address: string;
  readonly server: Server;
  respond: RequestListener;
  requests: number;
  connections: number;
}

const servers: Server[] = [];
const scrapers: MetricsSource[] = [];

afterEach(async () => {
  await Promise.all(scrapers.splice(0).map((scraper) => scraper.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function modelServer(respond: RequestListener): Promise<ModelServer> {
  const server = createServer((request, response) => {
    running.requests += 1;
    running.respond(request, response);
  });
  servers.push(server);
  server.on('connection', () => {
    running.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const running: ModelServer = { address, server, respond, requests: 0, connections: 0 };
  return running;
}

function rig(change: Partial<ScraperOptions> = {}) {
  const log: string[] = [];
  const observer = recordingObserver();
  const note = (fields: object, message: string) => {
    log.push('fault' in fields ? `${message}: ${fields.fault}` : message);
  };
  const scraper = createScraper({
    clock: () => performance.now(),
    random: Math.random,
    observe: observer,
    log: { info: note, warn: note },
    intervalMs: 10,
    idleIntervalMs: 40,
    timeoutMs: 5000,
    ...change,
  });
  scrapers.push(scraper);
  const answers: Array<EngineMetrics | 'no-metrics'> = [];
  const faults: string[] = [];
  const paces: number[] = [];
  return {
    log,
    observer,
    answers,
    faults,
    paces,
    scraper,
    watch(address: string, engine: EngineType = 'vllm', metricsPort?: number, busy = false) {
      return scraper.watch({
        address,
        ...(metricsPort !== undefined && { metricsPort }),
        pod: 'models/llama-0',
        scheduler: 'models/llama',
        engine,
        busy: () => busy,
        sent() {},
        answered: (answer) => answers.push(answer),
        failed: (how) => faults.push(how),
        paced: (intervalMs) => paces.push(intervalMs),
      });
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  for (let round = 0; !condition(); round++) {
    if (round === 4000) throw new Error('what the test waits for did not come');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('the scraper', () => {
  test('reads a page again and again over one connection', async () => {
    const server = await modelServer((_, response) => response.end(PAGE));
    const { watch, answers } = rig();
    watch(server.address);
    await until(() => answers.length >= 4);
    expect(answers[3]).toMatchObject({ waiting: 2, running: 5, kvUsage: 0.5 });
    expect(server.connections).toBe(1);
  });

  test('has one request in flight a pod', async () => {
    let open = 0;
    let most = 0;
    const server = await modelServer((_, response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.end(PAGE);
      }, 30);
    });
    const { watch, answers } = rig();
    watch(server.address);
    await until(() => answers.length >= 3);
    expect(most).toBe(1);
  });

  test('reads working pods less often where there are more than it can keep up with', async () => {
    const server = await modelServer((_, response) => response.end(PAGE));
    const { watch, paces } = rig({ intervalMs: 1 });
    for (let i = 0; i < 5; i++) watch(server.address);
    await until(() => paces.includes(50));
  });

  test('reads an idle pod less often, until it is woken', async () => {
    const idle = vllmPage({ waiting: 0, running: 0, kvUsage: 0 });
    const server = await modelServer((_, response) => response.end(idle));
    const { watch, answers, paces } = rig();
    const watched = watch(server.address);
    await until(() => answers.length >= 4);
    watched.wake();
    expect(paces).toEqual([10, 20, 40, 10]);
  });

  test('a server without a metrics page is told as such, and logged once', async () => {
    const server = await modelServer((_, response) => response.writeHead(404).end('not here'));
    const { watch, answers, log } = rig();
    watch(server.address);
    await until(() => answers.length >= 3);
    expect(new Set(answers)).toEqual(new Set(['no-metrics']));
    expect(log).toEqual(['metrics of the pod cannot be read: no-metrics: status 404']);
  });

  test('a fault is logged when it begins and when it ends', async () => {
    const server = await modelServer((_, response) => response.writeHead(500).end());
    const { watch, answers, log, observer } = rig();
    watch(server.address);
    await until(() => server.requests >= 3);
    expect(answers).toEqual([]);
    server.respond = (_, response) => response.end(PAGE);
    await until(() => answers.length >= 2);
    expect(log).toEqual(['metrics of the pod cannot be read: status: status 500', 'metrics of the pod are read again']);
    expect(observer.lines).toContain('scraped models/llama status');
  });

  test('a server that is gone is told as refused, and read again when it is back', async () => {
    const server = await modelServer((_, response) => response.end(PAGE));
    const { port } = server.server.address() as AddressInfo;
    await new Promise((resolve) => server.server.close(resolve));
    const { watch, answers, faults } = rig();
    watch(server.address);
    await until(() => faults.includes('refused'));
    await new Promise<void>((resolve) => server.server.listen(port, '127.0.0.1', resolve));
    await until(() => answers.length > 0);
  });

  test('a server that does not answer is given up at the timeout and tried anew', async () => {
    const server = await modelServer(() => {});
    const { watch, answers, log } = rig({ timeoutMs: 40 });
    watch(server.address);
    await until(() => server.requests >= 2);
    server.respond = (_, response) => response.end(PAGE);
    await until(() => answers.length > 0);
    expect(log[0]).toBe('metrics of the pod cannot be read: timeout: no answer within 40 ms');
  });

  test('a server with requests in flight is given twice the time', async () => {
    const server = await modelServer(() => {});
    const { watch, log } = rig({ timeoutMs: 40 });
    watch(server.address, 'vllm', undefined, true);
    await until(() => log.length > 0);
    expect(log[0]).toBe('metrics of the pod cannot be read: timeout: no answer within 80 ms');
  });

  test('a server whose page takes longer than the limit is given more time', async () => {
    const server = await modelServer((_, response) => setTimeout(() => response.end(PAGE), 60));
    const { watch, answers, faults } = rig({ timeoutMs: 40 });
    watch(server.address);
    await until(() => answers.length >= 3);
    expect(new Set(faults)).toEqual(new Set(['timeout']));
  });

  test('a page that has no end is given up', async () => {
    const server = await modelServer((_, response) => {
      const filler = Buffer.alloc(1 << 20, '# filler\n');
      const more = () => {
        if (!response.destroyed && !response.write(filler)) response.once('drain', more);
        else if (!response.destroyed) setImmediate(more);
      };
      more();
    });
    const { watch, log } = rig({ timeoutMs: 5000 });
    watch(server.address);
    await until(() => log.length > 0);
    expect(log[0]).toBe('metrics of the pod cannot be read: too-large: page above 4194304 bytes');
  });

  test('the page is read where the engine has it', async () => {
    const asked: string[] = [];
    const server = await modelServer(({ url }, response) => {
      asked.push(url!);
      response.end(url === '/prometheus/metrics' ? 'trtllm_num_requests_waiting 3\n' : '[]');
    });
    const { watch, answers } = rig();
    watch(server.address, 'trtllm');
    await until(() => answers.length > 0);
    expect([asked[0], answers[0]]).toEqual(['/prometheus/metrics', expect.objectContaining({ waiting: 3 })]);
  });

  test('the page is read at the port that the pod names', async () => {
    const serving = await modelServer((_, response) => response.end());
    const server = await modelServer((_, response) => response.end('nv_inference_pending_request_count 2\n'));
    const { watch, answers } = rig();
    watch(serving.address, 'triton', (server.server.address() as AddressInfo).port);
    await until(() => answers.length > 0);
    expect([serving.requests, answers[0]]).toEqual([0, expect.objectContaining({ waiting: 2 })]);
  });

  test('a page of another engine is told once in the log', async () => {
    const server = await modelServer((_, response) => response.end(PAGE));
    const { watch, answers, log } = rig();
    watch(server.address, 'sglang');
    await until(() => answers.length >= 3);
    expect(log).toEqual(['the metrics page of the pod lacks the number of waiting requests: is engineType right?']);
  });

  test('a watch that is stopped in the middle of a scrape answers no more', async () => {
    const server = await modelServer((_, response) => setTimeout(() => response.end(PAGE), 30));
    const { watch, answers } = rig();
    const watched = watch(server.address);
    await until(() => server.requests === 1);
    watched.stop();
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(answers).toEqual([]);
    expect(server.requests).toBe(1);
  });

  test('more pods than may be read at once are all read', async () => {
    const server = await modelServer((_, response) => response.end(PAGE));
    const { scraper } = rig({ intervalMs: 10_000, timeoutMs: 20_000 });
    const answered = new Set<number>();
    for (let i = 0; i < 300; i++) {
      scraper.watch({
        address: server.address,
        pod: `models/llama-${i}`,
        scheduler: 'models/llama',
        engine: 'vllm',
        busy: () => false,
        sent() {},
        answered: () => answered.add(i),
        failed() {},
        paced() {},
      });
    }
    await until(() => answered.size === 300);
  });
});
