import type { Engine } from '../../../../runtime/simulator/engine/engine';
import { blockIds, request, runUntilIdle, smallEngine } from './engine-trial';

const look = (engine: Engine, promptTokens = 16, adapter?: string) => engine.insight([], promptTokens, adapter);

test('an idle engine has nothing ahead and everything free', () => {
  expect(look(smallEngine())).toEqual({
    prefillTokensAhead: 0,
    cachedTokens: 0,
    freeBlocks: 64,
    running: 0,
    waiting: 0,
    decodeStepSeconds: 0.01,
    remainingTokensMean: 0,
    secondsUntilBlocks: 0,
    secondsUntilAdapter: 0,
  });
});

test('ahead are the prompts in the batch, the queue and the front end, but no decodes', () => {
  const engine = smallEngine({ maxNumSeqs: 2, frontEndSecondsPerToken: 0.001 });
  engine.submit(0, request('decoding', { promptTokens: 20, outputTokens: 50 }));
  engine.advance(0.1);
  engine.submit(0.1, request('prefilling', { promptTokens: 200 }));
  engine.submit(0.1, request('waiting', { promptTokens: 210 }));
  engine.submit(0.1, request('front end', { promptTokens: 300 }));
  engine.advance(0.35);
  // The first chunk of 'prefilling', under way, counts in full.
  expect(look(engine)).toMatchObject({ prefillTokensAhead: 200 + 210 + 300, running: 2, waiting: 2 });
});

test('cached blocks are neither ahead nor to be computed for the asked prompt', () => {
  const engine = smallEngine({ maxNumSeqs: 1 });
  const prompt = { promptTokens: 160, blocks: blockIds(1, 10, 10, 0) };
  engine.submit(0, request('first', prompt));
  runUntilIdle(engine);
  engine.submit(1, request('decoding', { promptTokens: 16, outputTokens: 50 }));
  engine.submit(1, request('waiting', prompt));
  engine.advance(1.2);
  expect(look(engine).prefillTokensAhead).toBe(16);
  expect(engine.insight(blockIds(1, 10, 12, 7), 192, undefined).cachedTokens).toBe(160);
});

test('a prompt whose block list is ahead already will be in the cache', () => {
  const engine = smallEngine();
  const blocks = blockIds(1, 10, 10, 0);
  engine.submit(0, request('first', { promptTokens: 170, blocks }));
  expect(engine.insight(blocks, 170, undefined)).toMatchObject({ prefillTokensAhead: 170, cachedTokens: 160 });
});

test('blocks come free when the running sequences end', () => {
  const engine = smallEngine({ kvTokens: 256, maxModelLen: 256 });
  engine.submit(0, request('long', { promptTokens: 100, outputTokens: 90 }));
  engine.submit(0, request('short', { promptTokens: 20, outputTokens: 30 }));
  engine.advance(0.12);
  const { freeBlocks, secondsUntilBlocks } = look(engine, 16 * 7);
  expect(freeBlocks).toBe(16 - 7 - 2);
  expect(secondsUntilBlocks).toBe(0);
  expect(look(engine, 16 * 8).secondsUntilBlocks).toBeCloseTo(0.29, 9);
  expect(look(engine, 16 * 12).secondsUntilBlocks).toBeCloseTo(0.89, 9);
  expect(look(engine).remainingTokensMean).toBe((89 + 29) / 2);
});

test('a throttled engine has longer steps', () => {
  const engine = smallEngine();
  engine.setSpeed(0.5);
  expect(look(engine).decodeStepSeconds).toBeCloseTo(0.02, 9);
});

test('an adapter is usable at once, after a load, or not before others end', () => {
  const engine = smallEngine({ maxLora: 1 });
  engine.advance(0);
  expect(look(engine, 16, 'x').secondsUntilAdapter).toBeCloseTo(0.5, 9);
  engine.submit(0, request(1, { adapter: 'x', outputTokens: 50 }));
  engine.advance(0.2);
  expect(look(engine, 16, 'x').secondsUntilAdapter).toBeCloseTo(0.3, 9);
  engine.advance(0.6);
  expect(look(engine, 16, 'x').secondsUntilAdapter).toBe(0);
  expect(look(engine, 16, 'y').secondsUntilAdapter).toBe(Number.POSITIVE_INFINITY);
  runUntilIdle(engine);
  expect(look(engine, 16, 'y').secondsUntilAdapter).toBeCloseTo(0.5, 9);
});
