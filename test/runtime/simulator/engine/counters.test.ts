import { request, runUntilIdle, smallEngine } from './engine-trial';

const PROMPT = { promptTokens: 160, blocks: Array.from({ length: 10 }, (_, index) => index) };

test('a prompt is counted with its first token, with what the cache held of it', () => {
  const engine = smallEngine();
  engine.submit(0, request(1, { ...PROMPT, outputTokens: 5 }));
  engine.advance(0.1);
  expect(engine.snapshot().counters).toMatchObject({ promptTokens: 0, firstTokenCount: 0 });
  engine.advance(0.2);
  expect(engine.snapshot().counters).toMatchObject({ promptTokens: 160, cachedTokens: 0, firstTokenCount: 1 });
  runUntilIdle(engine);
  engine.submit(10, request(2, PROMPT));
  runUntilIdle(engine);
  expect(engine.snapshot().counters).toMatchObject({ promptTokens: 320, cachedTokens: 144 });
});

test('time to first token starts with the submission, the queue with the end of the front end', () => {
  const engine = smallEngine({ maxNumSeqs: 1, frontEndSeconds: 0.5 });
  engine.submit(0, request(1, { promptTokens: 100, outputTokens: 11 }));
  engine.submit(0, request(2, { promptTokens: 100, outputTokens: 1 }));
  runUntilIdle(engine);
  const { counters } = engine.snapshot();
  expect(counters.firstTokenSum).toBeCloseTo(0.6 + 0.8, 9);
  expect(counters.queueSum).toBeCloseTo(0 + 0.2, 9);
  expect(counters.prefillSum).toBeCloseTo(0.1 + 0.1, 9);
  expect(counters.decodeSum).toBeCloseTo(0.1, 9);
  expect(counters.finishedCount).toBe(2);
});

test('a token after the first is one observation of inter-token latency', () => {
  const engine = smallEngine();
  engine.submit(0, request(1, { outputTokens: 5 }));
  engine.submit(0, request(2, { outputTokens: 3 }));
  runUntilIdle(engine);
  const { counters } = engine.snapshot();
  expect(counters.interTokenCount).toBe(6);
  expect(counters.interTokenSum).toBeCloseTo(0.06, 9);
  expect(counters).toMatchObject({ generatedTokens: 8, steps: 5 });
});

test('sums told at the end of a request do not count those under way or cancelled', () => {
  const engine = smallEngine();
  engine.submit(0, request(1, { outputTokens: 100 }));
  engine.advance(0.5);
  expect(engine.snapshot().counters).toMatchObject({ finishedCount: 0, decodeSum: 0, firstTokenCount: 1 });
  engine.cancel(1);
  runUntilIdle(engine);
  expect(engine.snapshot().counters).toMatchObject({ finishedCount: 0, decodeSum: 0 });
});

test('prefill-only work counts its prompt at its end, and no first token', () => {
  const engine = smallEngine();
  engine.submit(0, request(1, { promptTokens: 50, outputTokens: 0 }));
  runUntilIdle(engine);
  const { counters } = engine.snapshot();
  expect(counters).toMatchObject({ promptTokens: 50, firstTokenCount: 0, generatedTokens: 0, finishedCount: 1 });
  expect(counters.prefillSum).toBeCloseTo(0.05, 9);
});

test('a snapshot keeps its counters', () => {
  const engine = smallEngine();
  const { counters } = engine.snapshot();
  engine.submit(0, request(1));
  runUntilIdle(engine);
  expect(counters.generatedTokens).toBe(0);
});
