import { invalidRequest } from '../api-error';
import { type Exchange, type ServerContext, sendJson } from '../exchange';
import { resolveAdapter } from '../models';
import { prefill } from '../prefill';
import { promptOfText } from '../prompt';

/** A PNG of one transparent pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** `POST /v1/images/generations`: always one image of one pixel. */
export async function images(context: ServerContext, exchange: Exchange): Promise<void> {
  const body = exchange.json();
  const adapter = resolveAdapter(context, body.model);
  if (typeof body.prompt !== 'string') throw invalidRequest('prompt: expected a string', 'prompt');
  await prefill(context, exchange, [promptOfText(body.prompt)], adapter);
  sendJson(exchange, { created: context.created, data: [{ b64_json: PIXEL, revised_prompt: null }] });
}
