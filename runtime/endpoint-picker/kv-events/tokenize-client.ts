import { Agent } from 'undici';
import { type PromptTokens, promptTokens } from './prompt-tokens';

/** Asks model servers for tokens. */
export interface TokenizeClient {
  /** `address`: `ip:port`. Undefined where the server does not answer with tokens; never rejects. */
  ask(address: string, body: string): Promise<PromptTokens | undefined>;
  close(): Promise<void>;
}

/** An answer that is past the deadline of its own request still fills the cache for the next. Milliseconds. */
const TIMEOUT_MS = 2_000;

/** 150,000 tokens. */
const MAX_ANSWER_BYTES = 1024 * 1024;

const CONNECTIONS_A_POD = 8;

export function createTokenizeClient(): TokenizeClient {
  const agent = new Agent({
    connections: CONNECTIONS_A_POD,
    pipelining: 1,
    maxResponseSize: MAX_ANSWER_BYTES,
    keepAliveTimeout: 30_000,
  });

  return {
    async ask(address, body) {
      try {
        const answer = await agent.request({
          origin: `http://${address}`,
          path: '/tokenize',
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        if (answer.statusCode !== 200) {
          await answer.body.dump();
          return undefined;
        }
        const read = (await answer.body.json()) as { readonly tokens?: unknown } | null;
        return Array.isArray(read?.tokens) ? promptTokens(read.tokens) : undefined;
      } catch {
        return undefined;
      }
    },
    close: () => agent.destroy(),
  };
}
