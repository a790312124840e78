import { answerId } from '../answer-id';
import { invalidRequest } from '../api-error';
import { contentText } from '../chat-prompt';
import { type Exchange, type ServerContext, sendJson } from '../exchange';
import { resolveAdapter } from '../models';
import { prefill } from '../prefill';
import { type Prompt, promptOfText } from '../prompt';

const MAX_PAIRS = 2048;

/** `POST /v1/rerank` and `/rerank`: documents by falling relevance. */
export async function rerank(context: ServerContext, exchange: Exchange): Promise<void> {
  const body = exchange.json();
  const adapter = resolveAdapter(context, body.model);
  const query = readTexts(body.query, 'query')[0]!;
  const documents = readTexts(body.documents, 'documents');
  const pairs = documents.map((document) => promptOfText(`${query}\n${document}`));
  const tokens = await prefill(context, exchange, pairs, adapter);
  const results = pairs
    .map((pair, index) => ({ index, document: { text: documents[index]! }, relevance_score: relevance(pair) }))
    .sort((left, right) => right.relevance_score - left.relevance_score || left.index - right.index);
  const top = typeof body.top_n === 'number' && body.top_n > 0 ? body.top_n : results.length;
  sendJson(exchange, {
    id: answerId('rerank-', exchange, pairs[0]!),
    model: body.model ?? context.model,
    usage: { total_tokens: tokens },
    results: results.slice(0, top),
  });
}

/** `POST /v1/score` and `/score`: one score for each pair; a single first text is paired with every second one. */
export async function score(context: ServerContext, exchange: Exchange): Promise<void> {
  const body = exchange.json();
  const adapter = resolveAdapter(context, body.model);
  const first = readTexts(body.text_1 ?? body.queries, 'text_1');
  const second = readTexts(body.text_2 ?? body.documents, 'text_2');
  if (first.length !== 1 && first.length !== second.length) {
    throw invalidRequest('text_1: expected one text, or as many as text_2', 'text_1');
  }
  const pairs = second.map((text, index) => promptOfText(`${first.length === 1 ? first[0] : first[index]}\n${text}`));
  const tokens = await prefill(context, exchange, pairs, adapter);
  sendJson(exchange, {
    id: answerId('score-', exchange, pairs[0]!),
    object: 'list',
    created: context.created,
    model: body.model ?? context.model,
    data: pairs.map((pair, index) => ({ index, object: 'score', score: relevance(pair) })),
    usage: { prompt_tokens: tokens, total_tokens: tokens, completion_tokens: 0, prompt_tokens_details: null },
  });
}

function readTexts(value: unknown, field: string): string[] {
  const list: unknown[] = Array.isArray(value) ? value : value == null ? [] : [value];
  if (list.length === 0 || list.length > MAX_PAIRS) {
    throw invalidRequest(`${field}: expected a text or a list of 1 to ${MAX_PAIRS} texts`, field);
  }
  return list.map((item) => {
    const text = typeof item === 'object' && item !== null && 'text' in item ? item.text : item;
    return contentText(text);
  });
}

function relevance(pair: Prompt): number {
  return (pair.seed % 10_000) / 10_000;
}
