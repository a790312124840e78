import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from '../support/until';
import { startTestGateway, type TestGateway } from './support/gateway';
import { ADAPTERS, BASE_MODEL, EMPTY_MODEL, MODEL_FLEET, SMALL_MODEL } from './support/model-fleet';
import { pythonWithClient } from './support/python-client';
import { whileSaturated } from './support/saturate';

/** Making the virtual environment takes this long at most; milliseconds. */
const SET_UP_MS = 180_000;
const SCRIPT = join(__dirname, 'python', 'clients.py');

let gateway: TestGateway;
let script: ChildProcessWithoutNullStreams | undefined;
let results: Record<string, unknown>;

beforeAll(async () => {
  const python = await pythonWithClient();
  gateway = await startTestGateway(MODEL_FLEET);
  results = await callFromPython(python);
}, SET_UP_MS);
afterAll(async () => {
  script?.kill();
  await gateway?.close();
});

/** Runs the script, and saturates the small model when the script asks for that. */
async function callFromPython(python: string): Promise<Record<string, unknown>> {
  const models = [BASE_MODEL, ADAPTERS[0], EMPTY_MODEL, SMALL_MODEL];
  script = spawn(python, [SCRIPT, `${gateway.url}/v1`, ...models]);
  const closed = once(script, 'close');
  let output = '';
  let words = '';
  script.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  script.stderr.on('data', (chunk: Buffer) => {
    words += chunk;
  });
  await until('the script asks for a saturated model', () => /^saturate$/m.test(words) || script?.exitCode !== null);
  await whileSaturated(gateway.url, SMALL_MODEL, async () => {
    script?.stdin.end('go on\n');
    await closed;
  });
  if (script.exitCode !== 0) throw new Error(`the script ended with ${script.exitCode}: ${words}`);
  return JSON.parse(output);
}

test('a chat completion', () => {
  const expected = { model: BASE_MODEL, text: expect.stringMatching(/\w/), finish: 'length', tokens: 4 };
  expect(results.chatCompletion).toEqual(expected);
});

test('a streamed chat completion ends with its usage', () => {
  const { text } = results.chatCompletion as { text: string };
  expect(results.streamedChatCompletion).toEqual({ text, tokens: 4, choicesOfLast: 0 });
});

test.each(['completions', 'responses'])('%s, whole and streamed', (call) => {
  const { whole, streamed } = results[call] as { whole: string; streamed: string };
  expect(whole).toMatch(/\w/);
  expect(streamed).toBe(whole);
});

test('embeddings', () => {
  expect(results.embeddings).toEqual([8, 8]);
});

test('a transcription', () => {
  expect(results.transcription).toMatch(/\w/);
});

test('an adapter answers under its own name', () => {
  expect(results.adapter).toBe(ADAPTERS[0]);
});

test('models.list and models.retrieve', () => {
  expect(results.models).toEqual([BASE_MODEL, SMALL_MODEL, EMPTY_MODEL, ...ADAPTERS].sort());
  expect(results.retrieved).toBe(BASE_MODEL);
});

test.each([
  ['unknownRetrieved', 'NotFoundError', 404, 'model_not_found', 'model'],
  ['unknownModel', 'NotFoundError', 404, 'model_not_found', 'model'],
  ['badModel', 'BadRequestError', 400, 'model_not_string', 'model'],
  ['noPods', 'InternalServerError', 503, 'no_endpoints', null],
  ['saturated', 'RateLimitError', 429, 'pool_saturated', null],
])('%s is raised as %s', (call, name, status, code, param) => {
  expect(results[call]).toMatchObject({ class: name, status, code, param, requestId: expect.any(String) });
});

test.each(['noPods', 'saturated'])('%s says in whole seconds when to come back', (call) => {
  expect(results[call]).toMatchObject({ retryAfter: expect.stringMatching(/^[1-9]\d*$/) });
});
