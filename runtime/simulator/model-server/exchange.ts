import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FaultState } from './fault-state';
import type { BlockJournal } from './kv-events/block-journal';
import type { RealTimeEngine } from './real-time-engine';
import type { RequestLog } from './request-log';

/** What the endpoints share. */
export interface ServerContext {
  readonly model: string;
  readonly adapters: readonly string[];
  readonly engine: RealTimeEngine;
  readonly faults: FaultState;
  /** The metrics page of this moment. */
  metricsPage(): string;
  readonly requests: RequestLog;
  /** Present where KV events are published. */
  readonly kvBlocks: BlockJournal | undefined;
  /** Unix seconds of the start; the `created` of all objects, so that equal requests get equal answers. */
  readonly created: number;
}

/** One HTTP request with its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  /** The body as a JSON object, parsed once; throws 400 when it is none. */
  json(): Record<string, unknown>;
  /** Runs `cancel` if the client goes away before the answer is complete; the returned function takes it back. */
  onGone(cancel: () => void): () => void;
}

/** Answers one exchange; a thrown `ApiError` becomes its JSON answer. */
export type Endpoint = (context: ServerContext, exchange: Exchange) => Promise<void> | void;

/** Sends a whole JSON answer. */
export function sendJson(exchange: Exchange, value: unknown, status = 200): void {
  const body = Buffer.from(JSON.stringify(value));
  exchange.response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

/** Sends a whole text answer. */
export function sendText(exchange: Exchange, text: string, contentType: string, status = 200): void {
  const body = Buffer.from(text);
  exchange.response.writeHead(status, { 'content-type': contentType, 'content-length': body.length }).end(body);
}
