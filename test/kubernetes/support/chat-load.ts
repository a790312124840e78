import { Agent, request } from 'undici';

export interface ChatLoadOptions {
  /** Without `/v1`. */
  readonly url: string;
  /** PEM of the authority. */
  readonly ca: string;
  readonly model: string;
  readonly perSecond: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Every so many-th is a stream of so many tokens: some are under way at any time. */
  readonly long?: { readonly every: number; readonly tokens: number };
}

export interface ChatLoadResult {
  readonly sent: number;
  readonly ok: number;
  /** What went wrong, with the second at which it was sent, the first few. */
  readonly failures: readonly string[];
  /** Milliseconds from sending to the end of the answer, the longest. */
  readonly longestMs: number;
}

const LIMIT_MS = 60_000;
const MOST_FAILURES = 20;

/** Chat requests at a steady pace, every second one streamed, until stopped: each must be answered whole. */
export function startChatLoad({ url, ca, model, perSecond, headers = {}, long }: ChatLoadOptions): {
  stop(): Promise<ChatLoadResult>;
} {
  const agent = new Agent({ connect: { ca, timeout: LIMIT_MS }, headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS });
  const began = performance.now();
  const failures: string[] = [];
  const open = new Set<Promise<void>>();
  let [sent, ok, longestMs] = [0, 0, 0];

  const one = async (streamed: boolean, tokens: number): Promise<void> => {
    const from = performance.now();
    const failed = (why: string) => {
      if (failures.length < MOST_FAILURES) failures.push(`${((from - began) / 1000).toFixed(1)} s: ${why}`);
    };
    try {
      const { statusCode, body } = await request(`${url}/v1/chat/completions`, {
        dispatcher: agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({
          model,
          stream: streamed,
          max_tokens: tokens,
          messages: [{ role: 'user', content: `question ${sent % 50}` }],
        }),
      });
      const text = await body.text();
      longestMs = Math.max(longestMs, performance.now() - from);
      if (statusCode !== 200) failed(`status ${statusCode} ${text.slice(0, 200)}`);
      else if (streamed && !text.trimEnd().endsWith('data: [DONE]')) failed(`stream broke off: ${text.slice(-100)}`);
      else ok += 1;
    } catch (error) {
      failed((error as NodeJS.ErrnoException).code ?? String(error));
    }
  };
  const timer = setInterval(() => {
    sent += 1;
    const isLong = long !== undefined && sent % long.every === 0;
    const answer = one(isLong || sent % 2 === 0, isLong ? long.tokens : 8).finally(() => open.delete(answer));
    open.add(answer);
  }, 1000 / perSecond);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      await agent.close();
      return { sent, ok, failures, longestMs: Math.round(longestMs) };
    },
  };
}
