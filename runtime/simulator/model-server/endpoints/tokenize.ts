import { invalidRequest } from '../api-error';
import { chatPromptText } from '../chat-prompt';
import { type Exchange, type ServerContext, sendJson } from '../exchange';
import { resolveAdapter } from '../models';
import { tokenBytes, tokenIds } from '../prompt';

/** `POST /tokenize`: of a `prompt`, or of `messages` with the template applied. */
export function tokenize(context: ServerContext, exchange: Exchange): void {
  const body = exchange.json();
  resolveAdapter(context, body.model);
  if (body.messages === undefined && typeof body.prompt !== 'string') {
    throw invalidRequest('prompt: expected a string', 'prompt');
  }
  const text = body.messages === undefined ? (body.prompt as string) : chatPromptText(body.messages, [body.tools]);
  const tokens = tokenIds(Buffer.from(text, 'utf8'));
  sendJson(exchange, { count: tokens.length, max_model_len: context.engine.maxModelLen, tokens, token_strs: null });
}

/** `POST /detokenize`. */
export function detokenize(context: ServerContext, exchange: Exchange): void {
  const body = exchange.json();
  resolveAdapter(context, body.model);
  const tokens = body.tokens;
  if (!Array.isArray(tokens) || !tokens.every((token) => Number.isSafeInteger(token) && token >= 0)) {
    throw invalidRequest('tokens: expected a list of token ids', 'tokens');
  }
  sendJson(exchange, { prompt: Buffer.from((tokens as number[]).flatMap(tokenBytes)).toString('utf8') });
}
