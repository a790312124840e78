import { Agent, request as httpRequest } from 'node:http';
import { chatBody } from '../e2e/support/send';

/** A request that did not end as a whole answer with status 200. */
export interface Failed {
  /** Clock, milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly streamed: boolean;
  readonly status: number | undefined;
  readonly why: string;
}

export interface SteadyLoad {
  readonly sent: () => number;
  readonly open: () => number;
  /** Bounded: the first thousand. */
  readonly failed: readonly Failed[];
  readonly failures: () => number;
  /** Resolves once the last request has ended. */
  stop(): Promise<void>;
}

const MAX_KEPT = 1000;
const TICK_MS = 10;

/**
 * Requests at an even rate whatever the answers do, a third of them streamed, in conversations that grow so that prefixes
 * are shared, from five tenants in three bands. `models`: what may be asked for now.
 */
export function startSteadyLoad(url: string, perSecond: number, models: () => readonly string[]): SteadyLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 1000 });
  const failed: Failed[] = [];
  const start = performance.now();
  let failures = 0;
  let sent = 0;
  let open = 0;
  let drained: (() => void) | undefined;

  const tick = setInterval(() => {
    const due = ((performance.now() - start) / 1000) * perSecond;
    // A client that was held up does not make good for it all at once.
    for (let batch = 0; sent < due && batch < perSecond; batch++) sendOne(sent++);
  }, TICK_MS);

  function sendOne(index: number): void {
    const names = models();
    const model = names[index % names.length]!;
    const streamed = index % 3 === 0;
    const conversation = `Conversation ${index % 50}. `.repeat(40 + 20 * (Math.floor(index / 50) % 5));
    const body = chatBody(model, {
      messages: [{ role: 'user', content: conversation }],
      max_tokens: 4,
      ...(streamed && { stream: true }),
    });
    const startedAt = performance.now();
    open += 1;
    let status: number | undefined;
    let text = '';
    let over = false;
    const end = (why: string) => {
      if (over) return;
      over = true;
      open -= 1;
      if (why !== '') {
        failures += 1;
        if (failed.length < MAX_KEPT) failed.push({ startedAt, endedAt: performance.now(), streamed, status, why });
      }
      if (open === 0) drained?.();
    };
    const outgoing = httpRequest(
      `${url}/v1/chat/completions`,
      {
        agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'x-gateway-inference-fairness-id': `tenant-${index % 5}`,
        },
      },
      (response) => {
        status = response.statusCode;
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text = (text + chunk).slice(-200);
        });
        response.on('end', () => {
          if (status !== 200) end(`status ${status}: ${text}`);
          else end(streamed && !text.endsWith('data: [DONE]\n\n') ? 'the stream has no end' : '');
        });
        response.on('error', (error) => end(error.message));
      },
    );
    outgoing.on('error', (error) => end(error.message));
    outgoing.end(body);
  }

  return {
    sent: () => sent,
    open: () => open,
    failed,
    failures: () => failures,
    async stop() {
      clearInterval(tick);
      await new Promise<void>((resolve) => {
        drained = resolve;
        if (open === 0) resolve();
      });
      agent.destroy();
    },
  };
}
