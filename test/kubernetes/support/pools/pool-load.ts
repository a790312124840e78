import { Agent, request } from 'undici';

export interface PoolLoadOptions {
  readonly url: string;
  readonly perSecond: number;
  readonly body: string;
}

export interface LoadedRequest {
  /** Since the load began. */
  readonly sentMs: number;
  readonly tookMs: number;
  /** 0: the connection broke, or an answer did. */
  readonly status: number;
  /** A picker has seen the response. */
  readonly isPicked: boolean;
  readonly detail: string;
}

/** Requests with bodies at a steady pace, until stopped; resolves with what became of each. */
export interface PoolLoad {
  /** Milliseconds since it began. */
  now(): number;
  stop(): Promise<readonly LoadedRequest[]>;
}

const LIMIT_MS = 30_000;

export function startPoolLoad({ url, perSecond, body }: PoolLoadOptions): PoolLoad {
  const agent = new Agent({ connect: { timeout: LIMIT_MS }, headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS });
  const began = performance.now();
  const now = () => performance.now() - began;
  const done: LoadedRequest[] = [];
  const open = new Set<Promise<void>>();
  let sent = 0;

  async function one(): Promise<void> {
    const sentMs = now();
    let [status, isPicked, detail] = [0, false, ''];
    try {
      const headers = { 'content-type': 'application/json' };
      const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body });
      isPicked = answer.headers['x-conformance-test-served-endpoint'] !== undefined;
      const text = await answer.body.text();
      status = answer.statusCode;
      detail = status === 200 ? '' : text.slice(0, 200);
    } catch (error) {
      detail = (error as NodeJS.ErrnoException).code ?? String(error);
    }
    done.push({ sentMs, tookMs: now() - sentMs, status, isPicked, detail });
  }

  // Timers come late, and by more on a busy machine: what is owed is sent.
  const timer = setInterval(() => {
    while (sent < (now() / 1000) * perSecond) {
      sent += 1;
      const answer = one().finally(() => open.delete(answer));
      open.add(answer);
    }
  }, 5);
  return {
    now,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      await agent.close();
      return done;
    },
  };
}
