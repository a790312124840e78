import { invalidRequest } from '../api-error';
import { chatPromptText } from '../chat-prompt';
import { type Exchange, type ServerContext, sendJson } from '../exchange';
import { resolveAdapter } from '../models';
import { TOKEN_BYTES } from '../prompt';

// A token id is up to four bytes as digits 1..256 in base 257, so that the id alone gives its bytes back.
const BASE = 257;

/** `POST /tokenize`: of a `prompt`, or of `messages` with the template applied. */
export function tokenize(context: ServerContext, exchange: Exchange): void {
  const body = exchange.json();
  resolveAdapter(context, body.model);
  if (body.messages === undefined && typeof body.prompt !== 'string') {
    throw invalidRequest('prompt: expected a string', 'prompt');
  }
  const text = body.messages === undefined ? (body.prompt as string) : chatPromptText(body.messages);
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

function tokenIds(bytes: Buffer): number[] {
  const ids: number[] = [];
  for (let start = 0; start < bytes.length; start += TOKEN_BYTES) {
    ids.push(bytes.subarray(start, start + TOKEN_BYTES).reduceRight((id, byte) => id * BASE + byte + 1, 0));
  }
  return ids;
}

function tokenBytes(id: number): number[] {
  const bytes: number[] = [];
  for (let rest = id; rest > 0; rest = Math.floor(rest / BASE)) bytes.push((rest % BASE) - 1);
  return bytes;
}
