import { REFUSAL_NAMES, refuse } from '../../../runtime/body-router/errors';

test.each(REFUSAL_NAMES)('%s is an OpenAI error whose code is its name', (name) => {
  const answer = refuse(name, { detail: 'd', offset: 1, model: 'm', found: 'null', limit: 2, seconds: 3 });
  const { error } = JSON.parse(answer.body);
  expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code']);
  expect(error.code).toBe(name);
  expect(error.message).not.toMatch(/[{}]/);
  expect(answer.headers).toContainEqual(['content-type', 'application/json']);
  expect(answer.details).toBe(`router_${name}`);
});

test('an unknown model is a 404 that holds the text of the contract', () => {
  const answer = refuse('model_not_found', { model: 'x' });
  expect(answer.status).toBe(404);
  expect(JSON.parse(answer.body).error.message).toContain(
    'no matching model: set the model in the request body or the x-gateway-model-name header',
  );
});

test('input in a message is shortened by code points and cannot break the JSON', () => {
  const { message } = JSON.parse(refuse('model_not_found', { model: `"\n${'\u{1f600}'.repeat(500)}` }).body).error;
  expect(message).toContain(`\`"\n${'\u{1f600}'.repeat(98)}…\``);
  expect(message.isWellFormed()).toBe(true);
});

test('Retry-After is sent where it is given', () => {
  expect(refuse('pool_saturated', {}, 7).headers).toContainEqual(['retry-after', '7']);
  expect(refuse('no_route').headers).toEqual([['content-type', 'application/json']]);
});
