import OpenAI from 'openai';
import { type ModelServer, startModelServer } from '../../../../runtime/simulator/model-server/model-server';
import type { ModelServerOptions } from '../../../../runtime/simulator/model-server/options';

/** Runs `body` with a fast server on a free port, closed at the end whatever happens. */
export async function withServer(
  options: ModelServerOptions,
  body: (server: ModelServer, client: OpenAI) => Promise<void>,
): Promise<void> {
  const server = await startModelServer({ port: 0, speed: 100, model: 'base', ...options });
  try {
    await body(server, new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'unused', maxRetries: 0 }));
  } finally {
    await server.close();
  }
}

/** POSTs JSON, or text as it is. */
export function post(server: ModelServer, path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The value of the first sample whose name and labels contain all the given texts. */
export async function metric(server: ModelServer, ...texts: string[]): Promise<number> {
  const page = await (await fetch(`${server.url}/metrics`)).text();
  const line = page
    .split('\n')
    .find((candidate) => texts.every((text) => candidate.includes(text)) && !candidate.startsWith('#'));
  if (line === undefined) throw new Error(`no metric ${texts.join(' ')}`);
  return Number(line.slice(line.lastIndexOf(' ') + 1));
}

/** Looks again until the answer is the wanted one; the test's own time-out ends a hopeless wait. */
export async function eventually<T>(look: () => Promise<T>, wanted: T): Promise<void> {
  while ((await look()) !== wanted) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** What `GET /simulator/requests` answers. */
export interface RequestLogView {
  readonly total: number;
  readonly requests: readonly { model: string | null; status: number | null; headers: Record<string, string> }[];
}

/** A response's JSON as the type that the test expects of it. */
export async function json<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

/** The server's request log. */
export function requestLog(server: ModelServer): Promise<RequestLogView> {
  return json(fetch(`${server.url}/simulator/requests`));
}

/** Everything a stream yields. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
