import { type Received, send } from './send';

export interface OpenLoadOptions {
  readonly url: string;
  readonly perSecond: number;
  /** Milliseconds during which requests begin. */
  readonly forMs: number;
  readonly body: (index: number) => string;
  readonly headers?: (index: number) => Readonly<Record<string, string>>;
}

export interface OpenAnswer {
  readonly index: number;
  /** Undefined where the connection broke. */
  readonly response: Received | undefined;
  /** Milliseconds from the request to its whole answer. */
  readonly ms: number;
}

/** Completions sent at an even rate whatever the answers do. Resolves once all have been answered. */
export async function openLoad({ url, perSecond, forMs, body, headers }: OpenLoadOptions): Promise<OpenAnswer[]> {
  const answers: Promise<OpenAnswer>[] = [];
  const start = performance.now();
  await new Promise<void>((resolve) => {
    const tick = setInterval(() => {
      const elapsed = performance.now() - start;
      while (answers.length < (Math.min(elapsed, forMs) / 1000) * perSecond) answers.push(one(answers.length));
      if (elapsed < forMs) return;
      clearInterval(tick);
      resolve();
    }, 10);
  });
  return await Promise.all(answers);

  async function one(index: number): Promise<OpenAnswer> {
    const sentAt = performance.now();
    const sent = { body: body(index), ...(headers !== undefined && { headers: headers(index) }) };
    const response = await send(url, '/v1/completions', sent).catch(() => undefined);
    return { index, response, ms: performance.now() - sentAt };
  }
}
