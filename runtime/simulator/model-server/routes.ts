import { ApiError } from './api-error';
import { chatCompletions } from './endpoints/chat-completions';
import { completions } from './endpoints/completions';
import { embeddings } from './endpoints/embeddings';
import { images } from './endpoints/images';
import { messages } from './endpoints/messages';
import { rerank, score } from './endpoints/rerank';
import { responses } from './endpoints/responses';
import { detokenize, tokenize } from './endpoints/tokenize';
import { transcriptions } from './endpoints/transcriptions';
import { type Endpoint, sendJson, sendText } from './exchange';
import { listModels } from './models';

/** A path's endpoint and whether it does inference, which the `error` fault hits. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly inference: boolean;
}

const empty: Endpoint = (_context, exchange) => sendText(exchange, '', 'text/plain; charset=utf-8');

const metrics: Endpoint = (context, exchange) => {
  if (context.faults.current().stopMetrics === true)
    throw new ApiError(503, 'ServiceUnavailable', 'metrics are stopped');
  sendText(exchange, context.metricsPage(), 'text/plain; version=0.0.4; charset=utf-8');
};

const READ: Readonly<Record<string, Endpoint>> = {
  '/health': empty,
  '/ping': empty,
  '/version': (_context, exchange) => sendJson(exchange, { version: 'simulator' }),
  '/metrics': metrics,
  // Where trtllm-serve has it.
  '/prometheus/metrics': metrics,
  '/v1/models': (context, exchange) => sendJson(exchange, listModels(context)),
};

const INFERENCE: Readonly<Record<string, Endpoint>> = {
  '/v1/chat/completions': chatCompletions,
  '/v1/completions': completions,
  '/v1/responses': responses,
  '/v1/embeddings': embeddings,
  '/v1/messages': messages,
  '/v1/rerank': rerank,
  '/rerank': rerank,
  '/v1/score': score,
  '/score': score,
  '/tokenize': tokenize,
  '/detokenize': detokenize,
  '/v1/audio/transcriptions': transcriptions,
  '/v1/audio/translations': transcriptions,
  '/v1/images/generations': images,
};

/** The route of a request; any prefix before `/v1/` is ignored, as with vLLM's `--root-path`. Throws 404 or 405. */
export function findRoute(method: string, path: string): Route {
  const version = path.indexOf('/v1/');
  const name = version > 0 ? path.slice(version) : path;
  const read = Object.hasOwn(READ, name) ? READ[name] : undefined;
  const inference = Object.hasOwn(INFERENCE, name) ? INFERENCE[name] : undefined;
  if (read !== undefined && method === 'GET') return { endpoint: read, inference: false };
  if (inference !== undefined && method === 'POST') return { endpoint: inference, inference: true };
  if (read !== undefined || inference !== undefined)
    throw new ApiError(405, 'Method Not Allowed', 'Method Not Allowed');
  throw new ApiError(404, 'Not Found', 'Not Found');
}
