import fc from 'fast-check';
import { spliceBody } from '../../../../runtime/body-router/body/splice';
import { runNow } from '../../../../runtime/body-router/body/turns';
import { jsonFacts } from '../../../../runtime/body-router/json/json-facts';
import { MAX_PROMPT_BYTES, type RequestFacts } from '../../../../runtime/body-router/request-facts';
import { bodyFrom, cuts, textOf } from '../fixtures';

function read(text: string, at: readonly number[] = []) {
  return runNow(jsonFacts(bodyFrom(text, at)));
}

function facts(text: string): RequestFacts {
  const result = read(text);
  if ('refusal' in result) throw new Error(result.refusal);
  return result;
}

test('a spliced body is the original with the model replaced, and every other byte is the same', () => {
  const request = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.nat(), fc.nat(3));
  fc.assert(
    fc.property(request, fc.string(), cuts(), ([fields, model, place, indent], target, at) => {
      const entries = Object.entries(fields).filter(([key]) => key !== 'model' && key !== '__proto__');
      entries.splice(place % (entries.length + 1), 0, ['model', model.toWellFormed()]);
      const text = JSON.stringify(Object.fromEntries(entries), null, indent).toWellFormed();
      const body = bodyFrom(text, at);
      const result = runNow(jsonFacts(body));
      if ('refusal' in result || result.model === undefined) throw new Error('no model');
      const spliced = textOf(spliceBody(body, result.model.spans, result.model.encode(target)));
      expect(JSON.parse(spliced)).toEqual({ ...JSON.parse(text), model: target.toWellFormed() });
      const [span] = result.model.spans;
      const bytes = Buffer.from(text);
      const before = bytes.subarray(0, span!.start).toString();
      expect(spliced).toBe(before + JSON.stringify(target) + bytes.subarray(span!.end).toString());
    }),
    { numRuns: 300 },
  );
});

test('a splice keeps a 64-bit seed, key order, spaces and escapes', () => {
  const text = '{ "seed": 9007199254740993,\n "model" : "old", "z": "\\u00e9\\/", "a": 1.0e0 }';
  const body = bodyFrom(text, [12, 33, 40]);
  const { model } = runNow(jsonFacts(body)) as RequestFacts;
  expect(textOf(spliceBody(body, model!.spans, model!.encode('new')))).toBe(text.replace('"old"', '"new"'));
});

test('reads a model whose key and value are written with escapes', () => {
  expect(facts('{"\\u006dodel":"\\u0061\\/b"}').model?.name).toBe('a/b');
});

test('takes a repeated model when all its values are equal, and remembers each place', () => {
  expect(facts('{"model":"ab","model":"\\u0061b"}').model).toMatchObject({
    name: 'ab',
    spans: [
      { start: 9, end: 13 },
      { start: 22, end: 31 },
    ],
  });
});

test.each([
  ['{"model":"a","model":"b"}', 'duplicate_model'],
  ['{"model":"a","m\\u006fdel":"b"}', 'duplicate_model'],
  ['{"model":5}', 'model_not_string'],
  ['{"model":null}', 'model_not_string'],
  ['{"model":{"model":"a"}}', 'model_not_string'],
  [`{"model":"${'x'.repeat(5000)}"}`, 'model_too_long'],
  ['{"model":"a"', 'invalid_json'],
  ['"model"', 'invalid_json'],
])('refuses %.40s', (text, refusal) => {
  expect(read(text)).toMatchObject({ refusal });
});

test('a body without a model is not a fault', () => {
  expect(facts('{"messages":[{"model":"inner"}]}').model).toBeUndefined();
});

test('puts the prompt in the order of a chat template, whatever the order of the body', () => {
  const text = '{"messages":[1],"model":"a","tools":[2],"system":"s"}';
  const { prompt, promptBytes } = facts(text);
  expect(prompt.map(({ start, end }) => text.slice(start, end))).toEqual(['"s"', '[2]', '[1]']);
  expect(promptBytes).toBe(9);
});

test('counts the whole body where no known field holds the prompt, up to the largest context', () => {
  const rerank = '{"model":"a","query":"q","documents":["d"]}';
  expect(facts(rerank).promptBytes).toBe(rerank.length);
  expect(facts(`{"prompt":"${'x'.repeat(MAX_PROMPT_BYTES)}"}`).promptBytes).toBe(MAX_PROMPT_BYTES);
});

test('an image in the prompt counts as a thousand tokens, not as its base64', () => {
  const url = `data:image/png;base64,${'A'.repeat(100_000)}`;
  const text = JSON.stringify({ messages: [{ content: [{ image_url: { url } }, { image_url: { url } }] }] });
  expect(facts(text).promptBytes).toBe(text.length - '{"messages":}'.length - 2 * (100_008 - 4096));
});

test('of a cache salt no more is taken than hashing may cost', () => {
  expect(facts('{"cache_salt":"tenant"}').cacheSalt).toEqual({ start: 14, end: 22 });
  expect(facts(`{"cache_salt":"${'x'.repeat(1_000_000)}"}`).cacheSalt).toEqual({ start: 14, end: 14 + 1024 });
});

test.each([
  ['{"max_tokens":7}', 7],
  ['{"max_tokens":7,"max_completion_tokens":9}', 9],
  ['{"max_tokens":100000,"max_completion_tokens":1,"max_output_tokens":2}', 100_000],
  ['{"max_output_tokens":1e2}', 100],
  ['{"max_tokens":-1}', undefined],
  ['{"max_tokens":1.5}', undefined],
  ['{"max_tokens":null}', undefined],
  ['{"max_tokens":123456789012345678901234567890}', undefined],
])('reads the bound on output tokens of %s', (text, expected) => {
  expect(facts(text).maxOutputTokens).toBe(expected);
});

test.each([
  ['{"n":128}', 128],
  ['{"n":1}', undefined],
  ['{"n":-2}', undefined],
  ['{"n":"2"}', undefined],
  ['{"choices":{"n":3}}', undefined],
])('reads how many answers %s asks for', (text, expected) => {
  expect(facts(text).answers).toBe(expected);
});
