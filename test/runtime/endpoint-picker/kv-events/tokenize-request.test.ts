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

test('requests that differ in nothing that changes the prompt ask for the same', () => {
  const prompt = 'once upon a time';
  expect(requestOf({ prompt, max_tokens: 5 })).toEqual(requestOf({ model: 'm', prompt, seed: 1 }));
});

test('token ids of the client are taken as they are', () => {
  expect(requestOf({ prompt: [1, 2, 3] })).toEqual({ kind: 'tokens', tokens: [1, 2, 3] });
});

test.each([[{ input: 'hello' }], [{ prompt: ['a', 'b'] }], [{ prompt: [[1], [2]] }], [{ prompt: [] }], [null], [7]])(
  '%j cannot be tokenised',
  (body) => {
    expect(requestOf(body)).toBeUndefined();
  },
);

test('neither can what is no JSON, or too large', () => {
  expect(tokenizeRequest(Buffer.from('{'), 'm')).toBeUndefined();
  expect(requestOf({ prompt: 'x'.repeat(MAX_TOKENIZED_BODY_BYTES) })).toBeUndefined();
});
