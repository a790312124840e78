import { type AnswerShape, answer, eventFrame } from '../answer';
import { answerId } from '../answer-id';
import { invalidRequest } from '../api-error';
import { chatPromptText } from '../chat-prompt';
import type { Exchange, ServerContext } from '../exchange';
import { type Generation, planOutput } from '../generation';
import { resolveAdapter } from '../models';
import { promptOfText } from '../prompt';

/** `POST /v1/messages`: Anthropic's API, one text block. */
export async function messages(context: ServerContext, exchange: Exchange): Promise<void> {
  const body = exchange.json();
  const adapter = resolveAdapter(context, body.model);
  if (body.max_tokens === undefined) throw invalidRequest('max_tokens: field required', 'max_tokens');
  const prompt = promptOfText(chatPromptText(body.messages, [body.tools, body.system]));
  const work = { prompt, adapter, ...planOutput(prompt, context.engine.maxModelLen, body, 'max_tokens') };
  const head = {
    id: answerId('msg_', exchange, prompt),
    type: 'message',
    role: 'assistant',
    model: body.model ?? context.model,
  };
  await answer(context, exchange, work, body.stream === true, messageShape(head, prompt.tokens));
}

function stopReason(generation: Generation): string {
  return generation.finishReason === 'stop' ? 'end_turn' : 'max_tokens';
}

function inputUsage(promptTokens: number, cachedTokens: number): Record<string, number> {
  return {
    input_tokens: promptTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
  };
}

function messageShape(head: object, promptTokens: number): AnswerShape {
  return {
    whole: (generation) => ({
      ...head,
      content: [{ type: 'text', text: generation.text }],
      stop_reason: stopReason(generation),
      stop_sequence: null,
      usage: { ...inputUsage(promptTokens, generation.cachedTokens), output_tokens: generation.outputTokens },
    }),
    opening: (cachedTokens) => [
      eventFrame({
        type: 'message_start',
        message: {
          ...head,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...inputUsage(promptTokens, cachedTokens), output_tokens: 0 },
        },
      }),
      eventFrame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ],
    token: (text) => eventFrame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    closing: (generation) => [
      eventFrame({ type: 'content_block_stop', index: 0 }),
      eventFrame({
        type: 'message_delta',
        delta: { stop_reason: stopReason(generation), stop_sequence: null },
        usage: { output_tokens: generation.outputTokens },
      }),
      eventFrame({ type: 'message_stop' }),
    ],
  };
}
