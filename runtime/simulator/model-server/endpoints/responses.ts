import { type AnswerShape, answer, eventFrame } from '../answer';
import { answerId } from '../answer-id';
import { invalidRequest } from '../api-error';
import { chatPromptText } from '../chat-prompt';
import type { Exchange, ServerContext } from '../exchange';
import { type Generation, planOutput } from '../generation';
import { resolveAdapter } from '../models';
import { promptOfText } from '../prompt';

/** `POST /v1/responses`: one text message; nothing is stored. */
export async function responses(context: ServerContext, exchange: Exchange): Promise<void> {
  const body = exchange.json();
  const adapter = resolveAdapter(context, body.model);
  const prompt = promptOfText(chatPromptText(inputMessages(body.input), [body.tools, body.instructions]));
  const work = { prompt, adapter, ...planOutput(prompt, context.engine.maxModelLen, body, 'max_output_tokens') };
  const id = answerId('', exchange, prompt);
  const head = {
    id: `resp_${id}`,
    object: 'response',
    created_at: context.created,
    model: body.model ?? context.model,
    instructions: body.instructions ?? null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    error: null,
    incomplete_details: null,
  };
  await answer(context, exchange, work, body.stream === true, responseShape(head, `msg_${id}`));
}

function inputMessages(input: unknown): unknown {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  if (!Array.isArray(input)) throw invalidRequest('input: expected a string or a list of items', 'input');
  return input.map((item: unknown) =>
    typeof item === 'object' && item !== null && !('role' in item) ? { role: 'item', content: item } : item,
  );
}

function textPart(text: string): Record<string, unknown> {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function message(id: string, status: string, content: unknown[]): Record<string, unknown> {
  return { id, type: 'message', role: 'assistant', status, content };
}

function responseShape(head: object, messageId: string): AnswerShape {
  let sequence = 0;
  const event = (type: string, fields: object) => eventFrame({ type, sequence_number: sequence++, ...fields });
  const place = { output_index: 0, item_id: messageId, content_index: 0 };
  const completed = (generation: Generation) => ({
    ...head,
    status: generation.finishReason === 'stop' ? 'completed' : 'incomplete',
    incomplete_details: generation.finishReason === 'stop' ? null : { reason: 'max_output_tokens' },
    output: [message(messageId, 'completed', [textPart(generation.text)])],
    usage: {
      input_tokens: generation.promptTokens,
      input_tokens_details: { cached_tokens: generation.cachedTokens },
      output_tokens: generation.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: generation.promptTokens + generation.outputTokens,
    },
  });
  return {
    whole: completed,
    opening: () => {
      const response = { ...head, status: 'in_progress', output: [], usage: null };
      return [
        event('response.created', { response }),
        event('response.in_progress', { response }),
        event('response.output_item.added', { output_index: 0, item: message(messageId, 'in_progress', []) }),
        event('response.content_part.added', { ...place, part: textPart('') }),
      ];
    },
    token: (text) => event('response.output_text.delta', { ...place, delta: text, logprobs: [] }),
    closing: (generation) => [
      event('response.output_text.done', { ...place, text: generation.text, logprobs: [] }),
      event('response.content_part.done', { ...place, part: textPart(generation.text) }),
      event('response.output_item.done', {
        output_index: 0,
        item: message(messageId, 'completed', [textPart(generation.text)]),
      }),
      event(generation.finishReason === 'stop' ? 'response.completed' : 'response.incomplete', {
        response: completed(generation),
      }),
    ],
  };
}
