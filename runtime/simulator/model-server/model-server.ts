import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEngine } from '../engine/engine';
import { seededRandom } from '../engine/seeded-random';
import { ApiError, ClientGone, errorBody } from './api-error';
import { CONTROL_ROUTES } from './control';
import { type Endpoint, type Exchange, type ServerContext, sendJson } from './exchange';
import { createFaultState } from './fault-state';
import { startKvEvents } from './kv-events/kv-events';
import { told } from './metrics/lying-metrics';
import { createMetricsPage } from './metrics/metrics-page';
import { Statistics } from './metrics/statistics';
import { type ModelServerOptions, resolveModelServerOptions } from './options';
import { createRealTimeEngine } from './real-time-engine';
import { parseJsonObject, readBody } from './request-body';
import { RequestLog } from './request-log';
import { requestedModel } from './requested-model';
import { findRoute } from './routes';

/** A running server. */
export interface ModelServer {
  /** `host:port`. */
  readonly address: string;
  readonly port: number;
  readonly url: string;
  /** Where KV events are published, and sent again, if they are. */
  readonly kvEvents?: { readonly port: number; readonly replayPort: number | undefined };
  /** Ends all connections and timers; resolves when the port is free. */
  close(): Promise<void>;
}

/** Longer than a proxy's own idle timeout should be, so that it is the proxy that closes. */
const KEEP_ALIVE_MS = 75_000;

/** Polled all the time, so left out of the request log. */
const PROBES = new Set(['/health', '/metrics', '/ping']);

/** Starts a simulated model server. Rejects when an option is out of bounds or the port is taken. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const resolved = resolveModelServerOptions(options);
  const statistics = new Statistics();
  const { kvEventsPort, kvReplayPort } = resolved;
  const kvEvents =
    kvEventsPort === undefined
      ? undefined
      : await startKvEvents({ host: resolved.host, port: kvEventsPort, replayPort: kvReplayPort });
  const engine = createRealTimeEngine(
    createEngine(resolved.parameters, seededRandom(resolved.seed), kvEvents && { blocks: kvEvents.blocks }),
    resolved.speed,
    statistics,
    kvEvents?.publish,
  );
  const page = createMetricsPage({ ...resolved, bytes: resolved.metricsBytes }, statistics);
  const faults = createFaultState(engine, () => performance.now(), resolved.faults);
  const context: ServerContext = {
    model: resolved.model,
    adapters: resolved.adapters,
    engine,
    faults,
    metricsPage: () => page(told(engine.snapshot(), faults.current().lyingMetrics), Date.now() / 1000),
    requests: new RequestLog(),
    kvBlocks: kvEvents?.blocks,
    created: Math.floor(Date.now() / 1000),
  };
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) => {
    void serve(context, request, response);
  });
  try {
    await listen(server, resolved.port, resolved.host);
  } catch (error) {
    engine.close();
    await kvEvents?.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const host = resolved.host.includes(':') ? `[${resolved.host}]` : resolved.host;
  return {
    address: `${host}:${port}`,
    port,
    url: `http://${host}:${port}`,
    ...(kvEvents !== undefined && { kvEvents: { port: kvEvents.port, replayPort: kvEvents.replayPort } }),
    async close() {
      engine.close();
      const closed = new Promise<void>((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      });
      await Promise.all([closed, kvEvents?.close()]);
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Reads, records and answers one request; never rejects. */
async function serve(context: ServerContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = request.url ?? '/';
  const path = url.split('?', 1)[0]!;
  const control = Object.hasOwn(CONTROL_ROUTES, path) ? CONTROL_ROUTES[path] : undefined;
  let body: Buffer;
  let refusal: unknown;
  try {
    body = await readBody(request);
  } catch (error) {
    if (!(error instanceof ApiError)) return;
    refusal = error;
    body = Buffer.alloc(0);
  }
  const exchange = createExchange(request, response, body);
  const method = request.method ?? 'GET';
  if (control === undefined && !PROBES.has(path)) {
    const summary = context.requests.add(method, url, request.headers, body, requestedModel(exchange));
    response.once('close', () => {
      summary.status = response.writableFinished ? response.statusCode : 0;
    });
  }
  const respond = () => run(context, exchange, control ?? endpointFor(context, method, path, refusal));
  if (control === undefined) exchange.onGone(context.faults.whenThawed(() => void respond()));
  else await respond();
}

/** What answers a request that is not about the simulator itself: its route, unless a fault or a refusal comes first. */
function endpointFor(context: ServerContext, method: string, path: string, refusal: unknown): Endpoint {
  return (_context, exchange) => {
    if (refusal !== undefined) throw refusal;
    if (!context.faults.isReady()) throw new ApiError(503, 'ServiceUnavailable', 'the server is starting');
    const route = findRoute(method, path);
    const { error: status, reset } = context.faults.current();
    if (route.inference && reset === true) {
      exchange.request.socket.resetAndDestroy();
      throw new ClientGone();
    }
    if (route.inference && status !== undefined) throw new ApiError(status, 'InternalServerError', 'fault on command');
    return route.endpoint(context, exchange);
  };
}

async function run(context: ServerContext, exchange: Exchange, endpoint: Endpoint): Promise<void> {
  try {
    await endpoint(context, exchange);
  } catch (error) {
    if (error instanceof ClientGone) return;
    if (exchange.response.headersSent) exchange.response.destroy();
    else if (error instanceof ApiError) sendJson(exchange, errorBody(error), error.status);
    else sendJson(exchange, errorBody(new ApiError(500, 'InternalServerError', (error as Error).message)), 500);
  }
}

function createExchange(request: IncomingMessage, response: ServerResponse, body: Buffer): Exchange {
  const cancels = new Set<() => void>();
  let json: Record<string, unknown> | undefined;
  let gone = false;
  response.once('close', () => {
    if (response.writableFinished) return;
    gone = true;
    for (const cancel of cancels) cancel();
  });
  return {
    request,
    response,
    body,
    json() {
      json ??= parseJsonObject(body);
      return json;
    },
    onGone(cancel) {
      if (gone) cancel();
      else cancels.add(cancel);
      return () => cancels.delete(cancel);
    },
  };
}
