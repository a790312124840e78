import { type Exchange, type ServerContext, sendJson } from './exchange';
import { type Generation, type GenerationRequest, generate } from './generation';

/** How one API presents a generation: as one object, or as server-sent events (each string a complete frame). */
export interface AnswerShape {
  whole(generation: Generation): unknown;
  /** Sent with the first token. */
  opening(cachedTokens: number): string[];
  token(text: string): string;
  closing(generation: Generation): string[];
}

/** Runs a generation and answers it. A streamed answer's headers go out at once, before the first token, as vLLM's do. */
export async function answer(
  context: ServerContext,
  exchange: Exchange,
  work: GenerationRequest,
  stream: boolean,
  shape: AnswerShape,
): Promise<void> {
  if (!stream) {
    sendJson(exchange, shape.whole(await generate(context, exchange, work)));
    return;
  }
  const { response } = exchange;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
  let opened = false;
  const generation = await generate(context, exchange, work, (text, cachedTokens) => {
    if (!opened) response.write(shape.opening(cachedTokens).join(''));
    opened = true;
    response.write(shape.token(text));
  });
  response.end(shape.closing(generation).join(''));
}

/** A frame with data only, as OpenAI's chat and completion streams use. */
export function dataFrame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** A frame with the event's type as its name too. */
export function eventFrame(value: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}
