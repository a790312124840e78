import { type AnswerShape, answer, dataFrame } from '../answer';
import { answerId } from '../answer-id';
import { invalidRequest } from '../api-error';
import { type Exchange, type ServerContext, sendJson } from '../exchange';
import { type Generation, type GenerationRequest, generate, planOutput } from '../generation';
import { resolveAdapter } from '../models';
import { readInputs } from '../prompt-inputs';
import { openAiUsage, wantsUsage } from '../usage';

/** `POST /v1/completions`: a text, token ids, or (not streamed) a list of either with one choice for each. */
export async function completions(context: ServerContext, exchange: Exchange): Promise<void> {
  const body = exchange.json();
  const adapter = resolveAdapter(context, body.model);
  const works: GenerationRequest[] = readInputs(body.prompt, 'prompt').map((prompt) => ({
    prompt,
    adapter,
    ...planOutput(prompt, context.engine.maxModelLen, body, 'max_tokens'),
  }));
  const first = works[0]!;
  const head = {
    id: answerId('cmpl-', exchange, first.prompt),
    created: context.created,
    model: body.model ?? context.model,
    object: 'text_completion',
  };
  if (works.length === 1) {
    await answer(context, exchange, first, body.stream === true, completionShape(head, wantsUsage(body)));
    return;
  }
  if (body.stream === true) throw invalidRequest('prompt: a streamed request takes one prompt', 'prompt');
  const generations = await Promise.all(works.map((work) => generate(context, exchange, work)));
  sendJson(exchange, completionBody(head, generations));
}

function completionBody(head: object, generations: readonly Generation[]): unknown {
  const sum = (field: 'promptTokens' | 'cachedTokens' | 'outputTokens') =>
    generations.reduce((total, generation) => total + generation[field], 0);
  return {
    ...head,
    choices: generations.map(({ text, finishReason }, index) => ({
      index,
      text,
      logprobs: null,
      finish_reason: finishReason,
    })),
    usage: openAiUsage({
      promptTokens: sum('promptTokens'),
      cachedTokens: sum('cachedTokens'),
      outputTokens: sum('outputTokens'),
    }),
  };
}

function completionShape(head: object, withUsage: boolean): AnswerShape {
  const chunk = (text: string, finishReason: string | null = null) =>
    dataFrame({
      ...head,
      choices: [{ index: 0, text, logprobs: null, finish_reason: finishReason }],
      ...(withUsage ? { usage: null } : {}),
    });
  return {
    whole: (generation) => completionBody(head, [generation]),
    opening: () => [],
    token: (text) => chunk(text),
    closing: (generation) => [
      chunk('', generation.finishReason),
      ...(withUsage ? [dataFrame({ ...head, choices: [], usage: openAiUsage(generation) })] : []),
      'data: [DONE]\n\n',
    ],
  };
}
