import {
  MAX_TOKENIZED_BODY_BYTES,
  tokenizeRequest,
} from '../../../../runtime/endpoint-picker/kv-events/tokenize-request';

const requestOf = (body: unknown) => tokenizeRequest(Buffer.from(JSON.stringify(body)), 'served');

function asked(body: unknown): unknown {
  const request = requestOf(body);
  return request?.kind === 'ask' ? JSON.parse(request.body) : request;
}

test('a chat is asked for with what changes its prompt, under the name of the model that serves', () => {
  const messages = [{ role: 'user', content: 'hello' }];
  const tools = [{ type: 'function' }];
  const body = {
    model: 'alias',
    messages,
    tools,
    temperature: 1,
    stream: true,
    chat_template_kwargs: { think: false },
  };
  expect(asked(body)).toEqual({ model: 'served', messages, tools, chat_template_kwargs: { think: false } });
});

test('what the chat template gets from other fields is handed to it by name, as vLLM does for the chat itself', () => {
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }];
  const documents = [{ title: 'a', text: 'b' }];
  expect(
    asked({ messages, documents, reasoning_effort: 'low', chat_template_kwargs: { enable_thinking: false } }),
  ).toEqual({
    model: 'served',
    messages,
    chat_template_kwargs: { enable_thinking: false, reasoning_effort: 'low', documents },
  });
  expect(asked({ messages, reasoning_effort: 'none' })).toMatchObject({
    chat_template_kwargs: { enable_thinking: false, reasoning_effort: 'none' },
  });
});

test('requests that differ in nothing that changes the prompt ask for the same', () => {
  const prompt = 'once upon a time';
  expect(requestOf({ prompt, max_tokens: 5 })).toEqual(requestOf({ model: 'm', prompt, seed: 1 }));
});

test('token ids of the client are taken as they are', () => {
  expect(requestOf({ prompt: [1, 2, 3] })).toEqual({ kind: 'tokens', tokens: [1, 2, 3] });
});

test.each([
  [{ input: 'hello' }],
  [{ prompt: ['a', 'b'] }],
  [{ prompt: [[1], [2]] }],
  [{ prompt: [] }],
  [{ prompt: 'hello', truncate_prompt_tokens: 2 }],
  [{ prompt: 'hello', prompt_embeds: 'AAAA' }],
  [null],
  [7],
])('%j cannot be tokenised', (body) => {
  expect(requestOf(body)).toBeUndefined();
});

test('a chat with images is not asked for: the pod would load them', () => {
  const image = { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } };
  expect(
    requestOf({ messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }, image] }] }),
  ).toBeUndefined();
});

test('neither can what is no JSON, or too large', () => {
  expect(tokenizeRequest(Buffer.from('{'), 'm')).toBeUndefined();
  expect(requestOf({ prompt: 'x'.repeat(MAX_TOKENIZED_BODY_BYTES) })).toBeUndefined();
});
