import { Agent, request } from 'undici';

export interface LoadOptions {
  readonly url: string;
  readonly perSecond: number;
  /** PEM of the authority, for HTTPS. */
  readonly ca?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default true: connections are kept, as a client does. */
  readonly keepAlive?: boolean;
}

interface LoadResult {
  readonly sent: number;
  readonly ok: number;
  /** `status 503`, `ECONNRESET`, … and how often. */
  readonly failures: Readonly<Record<string, number>>;
}

/** A GET every so often, until it is stopped; resolves with what became of all of them. */
export interface Load {
  stop(): Promise<LoadResult>;
}

/** Milliseconds for one answer. */
const LIMIT = 30_000;

export function startLoad({ url, perSecond, ca, headers = {}, keepAlive = true }: LoadOptions): Load {
  const agent = new Agent({
    connect: { timeout: LIMIT, ...(ca === undefined ? {} : { ca }) },
    headersTimeout: LIMIT,
    ...(keepAlive ? {} : { pipelining: 0 }),
  });
  const failures: Record<string, number> = {};
  const open = new Set<Promise<void>>();
  let [sent, ok] = [0, 0];

  const failed = (why: string) => {
    failures[why] = (failures[why] ?? 0) + 1;
  };
  const one = async (): Promise<void> => {
    try {
      const { statusCode, body } = await request(url, { dispatcher: agent, headers });
      await body.dump();
      if (statusCode === 200) ok += 1;
      else failed(`status ${statusCode}`);
    } catch (error) {
      failed((error as NodeJS.ErrnoException).code ?? String(error));
    }
  };
  const timer = setInterval(() => {
    sent += 1;
    const answer = one().finally(() => open.delete(answer));
    open.add(answer);
  }, 1000 / perSecond);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      await agent.close();
      return { sent, ok, failures };
    },
  };
}
