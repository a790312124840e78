/** Clients that each send one large body after the other, in a process of their own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { serveParent } from '../overhead/child-process';
import { now } from '../overhead/metronome';
import { quantile } from '../overhead/quantiles';
import { sendPaced } from './paced-connection';

export interface UploadRequest {
  readonly port: number;
  readonly model: string;
  readonly bodyBytes: number;
  readonly concurrency: number;
  /** Each client sends at this rate, the clients out of step; without it as fast as it can. */
  readonly bytesPerSecond?: number;
  /** Each client begins its last upload within this time. Milliseconds. */
  readonly durationMs: number;
}

export interface UploadReport {
  readonly completed: number;
  readonly failed: number;
  /** One example of what went wrong. */
  readonly failure?: string;
  readonly p50Ms: number;
  readonly megabytesPerSecond: number;
}

const TEXT_LINE = 'the gateway sends each request to a pod that holds its prefix, "quoted" and answers first of all\n';
const PIECE_BYTES = 1 << 20;

async function run(request: UploadRequest): Promise<UploadReport> {
  const message = uploadMessage(request.model, request.bodyBytes);
  const start = now();
  const times: number[] = [];
  let failed = 0;
  let failure: string | undefined;
  const client = async (number: number) => {
    if (request.bytesPerSecond !== undefined) {
      await sleep((number / request.concurrency) * (request.bodyBytes / request.bytesPerSecond) * 1_000);
    }
    for (let begun = now(); begun - start <= request.durationMs; begun = now()) {
      const outcome = await sendPaced(request.port, message, request.bytesPerSecond ?? Number.POSITIVE_INFINITY);
      if (outcome === 200) times.push(now() - begun);
      else {
        failed += 1;
        failure = String(outcome);
      }
    }
  };
  await Promise.all(Array.from({ length: request.concurrency }, (_, number) => client(number)));
  return {
    completed: times.length,
    failed,
    ...(failure !== undefined && { failure }),
    p50Ms: quantile(times, 0.5),
    megabytesPerSecond: (times.length * request.bodyBytes) / 1_000 / (now() - start),
  };
}

/** A chat request with one huge message, as pieces that all clients share. */
function uploadMessage(model: string, bodyBytes: number): readonly Buffer[] {
  const open = `{"model":${JSON.stringify(model)},"max_tokens":1,"messages":[{"role":"user","content":"`;
  const close = '"}]}';
  const head = ['POST /v1/chat/completions HTTP/1.1', 'host: gateway.bench', 'content-type: application/json'];
  const line = JSON.stringify(TEXT_LINE).slice(1, -1);
  const piece = Buffer.from(line.repeat(Math.floor(PIECE_BYTES / line.length)));
  const pieces = [Buffer.from(`${[...head, `content-length: ${bodyBytes}`].join('\r\n')}\r\n\r\n${open}`)];
  let left = bodyBytes - open.length - close.length;
  for (; left >= piece.length; left -= piece.length) pieces.push(piece);
  // The rest is blanks: a cut line could end in half an escape.
  pieces.push(Buffer.alloc(left, ' '), Buffer.from(close));
  return pieces;
}

serveParent(run);
