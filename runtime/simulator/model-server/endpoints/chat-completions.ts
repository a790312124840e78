import { type AnswerShape, answer, dataFrame } from '../answer';
import { answerId } from '../answer-id';
import { chatPromptText } from '../chat-prompt';
import type { Exchange, ServerContext } from '../exchange';
import { planOutput } from '../generation';
import { resolveAdapter } from '../models';
import { promptOfText } from '../prompt';
import { openAiUsage, wantsUsage } from '../usage';

/** `POST /v1/chat/completions`. `n`, `stop`, tools and response formats are accepted and ignored: one text choice. */
export async function chatCompletions(context: ServerContext, exchange: Exchange): Promise<void> {
  const body = exchange.json();
  const adapter = resolveAdapter(context, body.model);
  const prompt = promptOfText(chatPromptText(body.messages, [body.tools]));
  const limitField = body.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens';
  const work = { prompt, adapter, ...planOutput(prompt, context.engine.maxModelLen, body, limitField) };
  const head = {
    id: answerId('chatcmpl-', exchange, prompt),
    created: context.created,
    model: body.model ?? context.model,
  };
  await answer(context, exchange, work, body.stream === true, chatShape(head, wantsUsage(body)));
}

function chatShape(head: { id: string; created: number; model: unknown }, withUsage: boolean): AnswerShape {
  const chunk = (delta: unknown, finishReason: string | null = null) =>
    dataFrame({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...(withUsage ? { usage: null } : {}),
    });
  return {
    whole: (generation) => ({
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: generation.text, refusal: null, tool_calls: [] },
          logprobs: null,
          finish_reason: generation.finishReason,
        },
      ],
      usage: openAiUsage(generation),
    }),
    opening: () => [chunk({ role: 'assistant', content: '' })],
    token: (text) => chunk({ content: text }),
    closing: (generation) => [
      chunk({}, generation.finishReason),
      ...(withUsage
        ? [dataFrame({ ...head, object: 'chat.completion.chunk', choices: [], usage: openAiUsage(generation) })]
        : []),
      'data: [DONE]\n\n',
    ],
  };
}
