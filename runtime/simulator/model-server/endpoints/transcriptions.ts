import { invalidRequest } from '../api-error';
import { type Exchange, type ServerContext, sendJson, sendText } from '../exchange';
import { generate } from '../generation';
import { resolveAdapter } from '../models';
import { promptOfTokens } from '../prompt';

/** 16 kHz, 16-bit, mono. */
const AUDIO_BYTES_PER_SECOND = 32_000;
/** Whisper's encoder: 1,500 positions for 30 s. */
const AUDIO_TOKENS_PER_SECOND = 50;
const WORDS_PER_SECOND = 2.5;

/** `POST /v1/audio/transcriptions` and `translations`: multipart with `model` and `file`; `response_format` json or text. */
export async function transcriptions(context: ServerContext, exchange: Exchange): Promise<void> {
  const form = await readForm(exchange);
  const adapter = resolveAdapter(context, form.get('model') ?? undefined);
  const file = form.get('file');
  if (file === null || typeof file === 'string') throw invalidRequest('file: expected an uploaded file', 'file');
  const seconds = Math.max(1, Math.round(file.size / AUDIO_BYTES_PER_SECOND));
  const outputTokens = Math.ceil(seconds * WORDS_PER_SECOND);
  const audioTokens = Math.min(
    seconds * AUDIO_TOKENS_PER_SECOND,
    Math.max(1, context.engine.maxModelLen - outputTokens),
  );
  const prompt = promptOfTokens(new Array(audioTokens).fill(seconds));
  const { text } = await generate(context, exchange, { prompt, adapter, outputTokens, finishReason: 'stop' });
  if (form.get('response_format') === 'text') sendText(exchange, text, 'text/plain; charset=utf-8');
  else sendJson(exchange, { text, usage: { type: 'duration', seconds } });
}

async function readForm(exchange: Exchange): Promise<FormData> {
  try {
    const contentType = exchange.request.headers['content-type'] ?? '';
    const body = new Uint8Array(exchange.body);
    return await new Response(body, { headers: { 'content-type': contentType } }).formData();
  } catch (error) {
    throw invalidRequest(`expected a multipart/form-data body: ${(error as Error).message}`);
  }
}
