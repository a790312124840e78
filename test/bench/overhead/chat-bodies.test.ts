import { createChatRequests } from './chat-bodies';

const requests = createChatRequests({ model: 'a/"b"', bodyBytes: 20_000, conversations: 3, seed: 1 });

function bodyOf(sequence: number): string {
  const message = Buffer.concat([...requests.next(sequence)]).toString();
  return message.slice(message.indexOf('\r\n\r\n') + 4);
}

test('each body is a chat completion request of the length asked for', () => {
  for (const sequence of [0, 1, 2, 77, 10 ** 13]) {
    const body = bodyOf(sequence);
    expect(Buffer.byteLength(body)).toBe(20_000);
    expect(JSON.parse(body)).toMatchObject({ model: 'a/"b"', messages: expect.any(Array) });
  }
});

test('two requests of one conversation differ only in the end of the last user message', () => {
  const first = JSON.parse(bodyOf(1)).messages;
  const second = JSON.parse(bodyOf(4)).messages;
  expect(second.slice(0, -1)).toEqual(first.slice(0, -1));
  expect(first.at(-1).content.slice(0, -12)).toBe(second.at(-1).content.slice(0, -12));
  expect(first.at(-1)).not.toEqual(second.at(-1));
});

test('two conversations differ from the start', () => {
  expect(JSON.parse(bodyOf(0)).messages[0]).not.toEqual(JSON.parse(bodyOf(1)).messages[0]);
});
