import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { ClusterAccess } from '../../../runtime/kubernetes/access';
import type { Resource } from '../../../runtime/kubernetes/api-client';
import { apiVersionOf } from '../../../runtime/kubernetes/resource-path';
import { type Change, FakeCluster } from './fake-cluster';
import { Refusal } from './refusal';
import { type RequestTarget, requestTarget } from './request-target';
import { type Matches, selectorOf } from './selectors';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Of the client: tells connections apart. */
  readonly port: number;
}

/** An answer in place of the right one. */
export interface PlannedAnswer {
  readonly code: number;
  /** Seconds. */
  readonly retryAfter?: number;
  /** Default: a Status. */
  readonly body?: string;
  /** Default: every request. */
  readonly when?: (request: SeenRequest) => boolean;
  /** Default 1. */
  readonly times?: number;
}

interface OpenWatch {
  readonly target: RequestTarget;
  readonly matches: Matches;
  readonly response: ServerResponse;
  readonly isFrozen: () => boolean;
  readonly stop: () => void;
}

interface Rest {
  readonly version: number;
  readonly items: readonly KubernetesObject[];
}

/**
 * An API server over HTTP whose objects are in memory, for tests of clients: lists in pages, watches, bookmarks, creates,
 * replaces, applies (as a merge) and deletes; and fails in every way that real ones do.
 */
export class FakeApiServer {
  readonly cluster = new FakeCluster();
  /** Every request so far, in order. */
  readonly requests: SeenRequest[] = [];
  /** Before each answer. Milliseconds. */
  delayMs = 0;
  /** Watches are not told of what happens, and otherwise as they should be. */
  mute = false;
  /** Header `Warning` of each answer. */
  warning: string | undefined;

  private readonly watches = new Set<OpenWatch>();
  private readonly sockets = new Set<Socket>();
  private readonly frozen = new WeakSet<Socket>();
  private readonly planned: { readonly answer: PlannedAnswer; left: number }[] = [];
  private isDown = false;
  /** Of lists in pages: what is still to be sent, by `continue`. */
  private readonly rests = new Map<string, Rest>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      if (this.isDown) {
        socket.destroy();
        return;
      }
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => {});
    });
    server.on('request', (request, response) => void this.handle(request, response));
    this.cluster.onChange((change) => {
      if (!this.mute) for (const watch of this.watches) sendChange(watch, change);
    });
  }

  static async start(): Promise<FakeApiServer> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return new FakeApiServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What a client needs. */
  get access(): ClusterAccess {
    const credentials = { headers: { authorization: 'Bearer test' }, connection: { tls: {}, proxy: undefined } };
    return { server: this.url, namespace: undefined, credentials: () => Promise.resolve(credentials) };
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => {
      this.server.close(resolve);
    });
  }

  /** Breaks every connection off; those that come after are served. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** No connections at all, until `up`. */
  down(): void {
    this.isDown = true;
    this.cut();
  }

  up(): void {
    this.isDown = false;
  }

  /** Connections that are open now stay so, and nothing comes over them any more: as when a machine on the way is gone. */
  freeze(): void {
    for (const socket of this.sockets) this.frozen.add(socket);
  }

  answer(answer: PlannedAnswer): void {
    this.planned.push({ answer, left: answer.times ?? 1 });
  }

  /** In order, as after `timeoutSeconds`. */
  endWatches(): void {
    for (const watch of [...this.watches]) this.end(watch);
  }

  /** Open watches are told that their version is gone. */
  expireWatches(): void {
    const error = { type: 'ERROR', object: new Refusal(410, 'Expired', 'too old resource version').toStatus() };
    for (const watch of [...this.watches]) {
      sendText(watch, `${JSON.stringify(error)}\n`);
      this.end(watch);
    }
  }

  /** A piece of a watch's body, as it stands. */
  sendToWatches(text: string): void {
    for (const watch of this.watches) sendText(watch, text);
  }

  bookmark(): void {
    for (const watch of this.watches) {
      const { resource } = watch.target;
      const metadata = { resourceVersion: String(this.cluster.version) };
      const object = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
      sendText(watch, `${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
    }
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  openWatches(resource?: Resource): number {
    return [...this.watches].filter(({ target }) => resource === undefined || target.resource === resource).length;
  }

  private end(watch: OpenWatch): void {
    watch.stop();
    if (!watch.isFrozen()) watch.response.end();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const seen: SeenRequest = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body,
      port: request.socket.remotePort ?? 0,
    };
    this.requests.push(seen);
    if (this.delayMs > 0) await sleep(this.delayMs);
    if (response.destroyed || this.frozen.has(request.socket)) return;
    if (this.warning !== undefined) response.setHeader('warning', `299 - "${this.warning}"`);
    try {
      if (!this.answerPlanned(seen, response)) this.answerRightly(seen, request.socket, response);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      writeJson(response, error.code, error.toStatus());
    }
  }

  private answerPlanned(seen: SeenRequest, response: ServerResponse): boolean {
    const plan = this.planned.find(({ answer, left }) => left > 0 && (answer.when?.(seen) ?? true));
    if (plan === undefined) return false;
    plan.left -= 1;
    const { code, retryAfter, body } = plan.answer;
    if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
    if (body !== undefined) response.writeHead(code).end(body);
    else writeJson(response, code, new Refusal(code, `Planned${code}`, `planned ${code}`).toStatus());
    return true;
  }

  private answerRightly(seen: SeenRequest, socket: Socket, response: ServerResponse): void {
    const target = requestTarget(seen.path);
    if (target === undefined || !this.cluster.serves(target.resource)) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
    } else if (seen.method === 'GET' && target.name === undefined) {
      if (seen.query.get('watch') === 'true') this.watch(seen, target, socket, response);
      else writeJson(response, 200, this.list(seen, target));
    } else writeJson(response, seen.method === 'POST' ? 201 : 200, this.act(seen, target));
  }

  private act({ method, query, body }: SeenRequest, { resource, namespace, name = '', subresource }: RequestTarget) {
    const parsed = (body === '' ? {} : JSON.parse(body)) as KubernetesObject & { preconditions?: { uid?: string } };
    const object = (): KubernetesObject => ({
      ...parsed,
      metadata: { ...parsed.metadata, ...(namespace !== undefined && { namespace }) },
    });
    switch (method) {
      case 'GET': {
        const found = this.cluster.get(resource, name, namespace);
        if (found === undefined) throw new Refusal(404, 'NotFound', `${resource.plural} "${name}" not found`);
        return found;
      }
      case 'POST':
        return this.cluster.create(resource, object());
      case 'PUT':
        return this.cluster.replace(resource, object());
      case 'PATCH': {
        const part = subresource === 'status' ? 'status' : undefined;
        return this.cluster.apply(resource, object(), part, query.get('dryRun') === 'All');
      }
      case 'DELETE':
        return this.cluster.delete(resource, name, namespace, parsed.preconditions?.uid);
      default:
        throw new Refusal(405, 'MethodNotAllowed', `${method} is not allowed`);
    }
  }

  private list({ query }: SeenRequest, { resource, namespace }: RequestTarget) {
    const token = query.get('continue');
    const matches = selectorOf(query.get('labelSelector'), query.get('fieldSelector'));
    const { version, items } =
      token === null
        ? { version: this.cluster.version, items: this.cluster.list(resource, namespace).filter(matches) }
        : this.takeRest(token);
    const size = Number(query.get('limit') ?? items.length);
    const rest = items.slice(size);
    const next = `rest-${this.requests.length}`;
    if (rest.length > 0) this.rests.set(next, { version, items: rest });
    return {
      apiVersion: apiVersionOf(resource),
      kind: `${resource.kind}List`,
      metadata: { resourceVersion: String(version), ...(rest.length > 0 && { continue: next }) },
      // As of the kinds that are built in.
      items: items.slice(0, size).map(({ apiVersion: _version, kind: _kind, ...item }) => item),
    };
  }

  private takeRest(token: string): Rest {
    const rest = this.rests.get(token);
    this.rests.delete(token);
    if (rest === undefined) throw new Refusal(410, 'Expired', 'The provided continue parameter is too old.');
    return rest;
  }

  private watch({ query }: SeenRequest, target: RequestTarget, socket: Socket, response: ServerResponse): void {
    const past = this.cluster.since(Number(query.get('resourceVersion') ?? 0));
    if (past === undefined) throw new Refusal(410, 'Expired', 'too old resource version');
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    const timer = setTimeout(() => this.end(watch), Number(query.get('timeoutSeconds') ?? 300) * 1000);
    const watch: OpenWatch = {
      target,
      matches: selectorOf(query.get('labelSelector'), query.get('fieldSelector')),
      response,
      isFrozen: () => this.frozen.has(socket),
      stop: () => {
        clearTimeout(timer);
        this.watches.delete(watch);
      },
    };
    this.watches.add(watch);
    response.on('close', watch.stop);
    for (const change of past) sendChange(watch, change);
  }
}

function sendChange(watch: OpenWatch, { version, resource, old, object }: Change): void {
  const { target, matches } = watch;
  const seenBy = (one: KubernetesObject | undefined) =>
    one !== undefined &&
    (target.namespace === undefined || one.metadata.namespace === target.namespace) &&
    matches(one);
  if (resource !== target.resource) return;
  const [before, after] = [seenBy(old), seenBy(object)];
  if (!before && !after) return;
  const type = !after ? 'DELETED' : before ? 'MODIFIED' : 'ADDED';
  const told = after ? object! : { ...old!, metadata: { ...old!.metadata, resourceVersion: String(version) } };
  sendText(watch, `${JSON.stringify({ type, object: told })}\n`);
}

function sendText({ response, isFrozen }: OpenWatch, text: string): void {
  if (!response.writableEnded && !isFrozen()) response.write(text);
}

function writeJson(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
