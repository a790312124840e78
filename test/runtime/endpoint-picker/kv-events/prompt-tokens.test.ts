import { MAX_TOKENS, promptTokens } from '../../../../runtime/endpoint-picker/kv-events/prompt-tokens';

test('a long prompt is counted whole and kept in part', () => {
  const read = promptTokens(new Array(MAX_TOKENS + 5).fill(7))!;
  expect([read.tokens.length, read.count]).toEqual([MAX_TOKENS, MAX_TOKENS + 5]);
});

test.each([[[-1]], [[1.5]], [['1']], [[2 ** 32]], [[null]]])('%j are no tokens', (ids) => {
  expect(promptTokens(ids)).toBeUndefined();
});
