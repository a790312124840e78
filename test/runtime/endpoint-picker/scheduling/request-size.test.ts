import { uncachedTokens } from '../../../../runtime/endpoint-picker/scheduling/request-size';
import { scoredRequest } from '../support/candidates-with';

const REQUEST = scoredRequest({ promptTokens: 1000, outputTokens: 200, blocks: 10, blockTokens: 100 });

test('no more is cached than the prompt has', () => {
  expect([0, 4, 99].map((matched) => uncachedTokens(REQUEST, matched))).toEqual([1000, 600, 0]);
});
