import { Agent, request as httpRequest } from 'undici';
import type { Access } from '../kubeconfig';

export type ApiAccess = Access;

/** What the API server answers with where it refuses. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  constructor(
    readonly code: number,
    message: string,
    /** The status object's: `AlreadyExists`, `NotFound`, … */
    readonly reason: string,
  ) {
    super(message);
  }
}

const agents = new Map<string, Agent>();

/** Connections of an access are shared, for as long as the process lives or until they are closed. */
function agentOf({ ca }: ApiAccess): Agent {
  let agent = agents.get(ca);
  if (agent === undefined) {
    agent = new Agent({ connect: { ca }, bodyTimeout: 0, headersTimeout: 60_000, connections: 64 });
    agents.set(ca, agent);
  }
  return agent;
}

export async function closeConnections(access: ApiAccess): Promise<void> {
  const agent = agents.get(access.ca);
  agents.delete(access.ca);
  await agent?.destroy();
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RequestOptions {
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** One call; what it answers, parsed where it is JSON. Rejects with an ApiRefusal. */
export async function request(
  access: ApiAccess,
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<unknown> {
  const response = await send(access, method, path, options);
  const text = await response.body.text();
  return text.startsWith('{') ? JSON.parse(text) : text;
}

/** The lines of an endless answer, as a watch has. */
export async function* requestLines(access: ApiAccess, path: string, signal: AbortSignal): AsyncGenerator<string> {
  const response = await send(access, 'GET', path, { signal });
  let rest = '';
  for await (const chunk of response.body.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
}

async function send(access: ApiAccess, method: Method, path: string, options: RequestOptions) {
  const { body, contentType = 'application/json', signal } = options;
  const response = await httpRequest(`${access.server}${path}`, {
    method,
    dispatcher: agentOf(access),
    headers: {
      authorization: `Bearer ${access.token}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': contentType }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.statusCode < 300) return response;
  const text = await response.body.text();
  const status = text.startsWith('{') ? (JSON.parse(text) as { message?: string; reason?: string }) : {};
  throw new ApiRefusal(
    response.statusCode,
    `${method} ${path}: ${response.statusCode} ${status.message ?? text}`,
    status.reason ?? '',
  );
}
