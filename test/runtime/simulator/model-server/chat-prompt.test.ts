import { chatPromptText } from '../../../../runtime/simulator/model-server/chat-prompt';

test('a conversation continued starts with the text of the shorter one', () => {
  const turns = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
  ];
  const longer = [...turns, { role: 'assistant', content: 'Hi.' }, { role: 'user', content: 'More' }];
  expect(chatPromptText(longer).startsWith(chatPromptText(turns))).toBe(true);
});

test('tool calls and images make different text', () => {
  const image = (url: string) =>
    chatPromptText([{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]);
  expect(image('a')).not.toBe(image('b'));
});

test('messages of a wrong shape are refused with their place', () => {
  expect(() => chatPromptText([{ role: 'user', content: 'x' }, 5])).toThrow('messages[1]');
});
