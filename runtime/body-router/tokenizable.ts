import {
  MAX_TOKENIZED_BODY_BYTES,
  type TokenizeRequest,
  tokenizeRequest,
} from '../endpoint-picker/kv-events/tokenize-request';
import type { Body } from '../ext-proc/processor';
import { spanBytes } from './body/span';
import type { RequestFacts } from './request-facts';

/** How a model server is asked for the prompt's tokens. Of a prompt with a cache salt nothing can be found by them alone. */
export function tokenizable(body: Body, facts: RequestFacts, model: string): TokenizeRequest | undefined {
  if (facts.cacheSalt !== undefined || body.length > MAX_TOKENIZED_BODY_BYTES) return undefined;
  return tokenizeRequest(spanBytes(body, { start: 0, end: body.length }), model);
}
