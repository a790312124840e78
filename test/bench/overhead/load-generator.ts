/**
 * The client, in a process of its own. Open loop: one request each 1/rate seconds whatever comes back, latency from the
 * time at which it was due. Closed loop: a fixed number of clients, each sends when its last answer came.
 */
import { isMainThread } from 'node:worker_threads';
import { type ChatRequests, createChatRequests } from './chat-bodies';
import { serveParent } from './child-process';
import { type ConnectionPool, createConnectionPool } from './connection-pool';
import type { Outcome } from './http-connection';
import { now, runMetronome, startMetronome } from './metronome';
import { quantile } from './quantiles';

export interface LoadRequest {
  readonly port: number;
  readonly model: string;
  readonly bodyBytes: number;
  readonly load: Load;
  readonly durationMs: number;
}

export type Load =
  | { readonly kind: 'open'; readonly perSecond: number }
  | { readonly kind: 'closed'; readonly concurrency: number };

export interface LoadReport {
  readonly completed: number;
  readonly failed: number;
  /** One example of what went wrong. */
  readonly failure?: string;
  /** Answers per second, counted until the last answer. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** How late the generator itself was in sending; part of the latencies above. Open loop only. */
  readonly latenessP99Ms?: number;
}

const CONNECTION_LIMIT = 512;
/** The metronome's thread has started by then. */
const LEAD_MS = 200;
const ROUNDING_MS = 0.01;
const CONVERSATIONS = 64;
const SEED = 1;

interface Recorder {
  /** Sends the next request, which was due at `due`. */
  send(due: number, after?: () => void): void;
  report(startedAt: number): LoadReport;
}

const pools = new Map<number, ConnectionPool>();
const bodies = new Map<number, ChatRequests>();
let sequence = 0;

async function run(request: LoadRequest): Promise<LoadReport> {
  let pool = pools.get(request.port);
  if (pool === undefined) {
    pool = createConnectionPool('127.0.0.1', request.port, CONNECTION_LIMIT);
    pools.set(request.port, pool);
  }
  let requests = bodies.get(request.bodyBytes);
  if (requests === undefined) {
    const { model, bodyBytes } = request;
    requests = createChatRequests({ model, bodyBytes, conversations: CONVERSATIONS, seed: SEED });
    bodies.set(bodyBytes, requests);
  }
  const recorder = createRecorder(pool, requests);
  if (request.load.kind === 'open') {
    const startAt = now() + LEAD_MS;
    const lateness = await openLoop(recorder, startAt, request.load.perSecond, request.durationMs);
    await drained(pool);
    return { ...recorder.report(startAt), latenessP99Ms: quantile(lateness, 0.99) };
  }
  const startAt = now();
  await closedLoop(recorder, request.load.concurrency, request.durationMs);
  return recorder.report(startAt);
}

function createRecorder(pool: ConnectionPool, requests: ChatRequests): Recorder {
  const latencies: number[] = [];
  let failed = 0;
  let failure: string | undefined;
  let lastAnswer = 0;
  return {
    send(due, after) {
      pool.send(requests.next(sequence++), (outcome: Outcome) => {
        lastAnswer = now();
        if (outcome === 200) {
          latencies.push(lastAnswer - due);
        } else {
          failed += 1;
          failure = String(outcome);
        }
        after?.();
      });
    },
    report: (startedAt) => ({
      completed: latencies.length,
      failed,
      ...(failure === undefined ? {} : { failure }),
      perSecond: (latencies.length * 1_000) / (lastAnswer - startedAt),
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
      maxMs: quantile(latencies, 1),
    }),
  };
}

/** Resolves with how late each request was sent, in milliseconds. */
function openLoop(recorder: Recorder, start: number, perSecond: number, durationMs: number): Promise<number[]> {
  const spacing = 1_000 / perSecond;
  const total = Math.floor(durationMs / spacing);
  const lateness: number[] = [];
  return new Promise((resolve, reject) => {
    startMetronome({ start, spacing, total }, reject, () => {
      // Also what a late beat has left behind.
      while (lateness.length < total) {
        const due = start + lateness.length * spacing;
        const late = now() - due;
        if (late < -ROUNDING_MS) break;
        lateness.push(late);
        recorder.send(due);
      }
      if (lateness.length === total) resolve(lateness);
    });
  });
}

function closedLoop(recorder: Recorder, concurrency: number, durationMs: number): Promise<void> {
  const end = now() + durationMs;
  const client = () =>
    new Promise<void>((resolve) => {
      const next = () => (now() < end ? recorder.send(now(), next) : resolve());
      next();
    });
  return Promise.all(Array.from({ length: concurrency }, client)).then(() => {});
}

async function drained(pool: ConnectionPool): Promise<void> {
  while (pool.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

if (isMainThread) serveParent(run);
else runMetronome();
