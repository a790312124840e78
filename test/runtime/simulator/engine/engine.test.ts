import { createEngine } from '../../../../runtime/simulator/engine/engine';
import { blockIds, request, runUntilIdle, SMALL, smallEngine, timeOf } from './engine-trial';

test('time to first token is front end + prefill at R; each further token is one step', () => {
  const engine = smallEngine({ frontEndSeconds: 0.015, frontEndSecondsPerToken: 0.001 });
  engine.submit(1, request('a', { promptTokens: 100, outputTokens: 3 }));
  const events = runUntilIdle(engine);
  expect(timeOf(events, 'first-token', 'a')).toBeCloseTo(1 + 0.015 + 0.1 + 0.1, 9);
  expect(timeOf(events, 'finished', 'a')).toBeCloseTo(1.215 + 0.02, 9);
  expect(events.filter(({ type }) => type === 'tokens')).toHaveLength(3);
});

test('a request in the front end is not yet in the queue', () => {
  const engine = smallEngine({ frontEndSeconds: 1 });
  engine.submit(0, request('a'));
  engine.advance(0.5);
  expect(engine.snapshot()).toMatchObject({ frontEnd: 1, waiting: 0, running: 0 });
});

test('a long prompt is computed in chunks of the token budget while decodes go on', () => {
  const engine = smallEngine();
  engine.submit(0, request('decoding', { outputTokens: 6 }));
  engine.advance(0.016);
  engine.submit(0.016, request('long', { promptTokens: 300, outputTokens: 1 }));
  const events = runUntilIdle(engine);
  const chunks = events.filter((event) => event.type === 'tokens' && event.at <= timeOf(events, 'first-token', 'long'));
  // 127 + 127 + 46 prompt tokens, each chunk beside one decode token.
  expect(chunks.filter((event) => event.type === 'tokens' && event.ids.includes('decoding'))).toHaveLength(4);
  expect(timeOf(events, 'first-token', 'long')).toBeCloseTo(0.026 + 0.3, 9);
});

test('the second request with the same prefix skips its cached blocks', () => {
  const engine = smallEngine();
  const prompt = { promptTokens: 160, outputTokens: 1, blocks: blockIds(1, 10, 10, 0) };
  engine.submit(0, request('first', prompt));
  runUntilIdle(engine);
  engine.submit(10, request('second', prompt));
  const events = runUntilIdle(engine);
  // 9 blocks: the last token of a prompt is always computed anew, and with it its block.
  expect(timeOf(events, 'first-token', 'second') - 10).toBeCloseTo(0.016, 9);
  expect(events).toContainEqual(expect.objectContaining({ type: 'first-token', id: 'second', cachedTokens: 144 }));
  expect(engine.snapshot()).toMatchObject({ prefixQueries: 320, prefixHits: 144 });
});

test('the same prefix under another adapter is not found', () => {
  const engine = smallEngine();
  const prompt = { promptTokens: 160, outputTokens: 1, blocks: blockIds(1, 10, 10, 0) };
  engine.submit(0, request('base', prompt));
  runUntilIdle(engine);
  engine.submit(10, request('adapted', { ...prompt, adapter: 'x' }));
  runUntilIdle(engine);
  expect(engine.snapshot().prefixHits).toBe(0);
});

test('blocks of a shared prefix are held once, and read once a step', () => {
  const engine = smallEngine({ kvReadSecondsPerToken: 0.001 });
  const prompt = (unique: number) => ({ promptTokens: 64, outputTokens: 2, blocks: blockIds(1, 3, 4, unique) });
  engine.submit(0, request('a', prompt(1)));
  engine.submit(0, request('b', prompt(2)));
  engine.advance(0);
  expect(engine.snapshot().usedBlocks).toBe(3 + 2);
  const events = runUntilIdle(engine);
  // Prefill 64 + 16 tokens; reads 48 shared + 2 x 16, then one more token each.
  const prefill = 0.08 + 0.08;
  expect(timeOf(events, 'first-token', 'b')).toBeCloseTo(prefill, 9);
  expect(timeOf(events, 'finished', 'b')).toBeCloseTo(prefill + 0.01 + 0.082, 9);
});

test.each([
  ['recently used', 1, 96],
  ['least recently used', 2, 32],
])('of a %s prefix a new prompt leaves so much in the cache', (_use, group, cachedTokens) => {
  const engine = smallEngine({ kvTokens: 256 });
  const run = (id: string, at: number, asked: number) => {
    engine.submit(at, request(id, { promptTokens: 112, blocks: blockIds(asked, 7, 7, 0) }));
    return runUntilIdle(engine).find((event) => event.type === 'finished');
  };
  run('one', 0, 1);
  run('two', 10, 2);
  run('one again', 20, 1);
  run('three', 30, 3);
  // Of the evicted prefix the tail goes before the head.
  expect(run('asked', 40, group)).toMatchObject({ cachedTokens });
});

test('when KV runs out the newest request is preempted, recomputed, and still gets all its tokens', () => {
  const engine = smallEngine({ kvTokens: 128, maxModelLen: 128 });
  engine.submit(0, request('old', { promptTokens: 60, outputTokens: 40 }));
  engine.submit(0, request('new', { promptTokens: 60, outputTokens: 40 }));
  const events = runUntilIdle(engine);
  const preempted = events.filter(({ type }) => type === 'preempted');
  expect(preempted.length).toBeGreaterThan(0);
  expect(preempted.every((event) => 'id' in event && event.id === 'new')).toBe(true);
  expect(timeOf(events, 'finished', 'old')).toBeLessThan(timeOf(events, 'finished', 'new'));
  expect(events).toContainEqual(expect.objectContaining({ type: 'finished', id: 'new', generatedTokens: 40 }));
  expect(events.filter((event) => event.type === 'first-token' && event.id === 'new')).toHaveLength(1);
});

test('no more than maxNumSeqs run at once', () => {
  const engine = smallEngine({ maxNumSeqs: 2 });
  for (const id of ['a', 'b', 'c']) engine.submit(0, request(id, { outputTokens: 5 }));
  engine.advance(0);
  expect(engine.snapshot()).toMatchObject({ running: 2, waiting: 1 });
});

test('an adapter is loaded before its request runs, and base model requests pass by meanwhile', () => {
  const engine = smallEngine();
  engine.submit(0, request('adapted', { adapter: 'x' }));
  engine.submit(0, request('base'));
  const events = runUntilIdle(engine);
  expect(timeOf(events, 'first-token', 'base')).toBeCloseTo(0.016, 9);
  expect(timeOf(events, 'first-token', 'adapted')).toBeCloseTo(0.516, 9);
  expect(events).toContainEqual({ type: 'adapter-loaded', at: 0.5, adapter: 'x' });
});

test('a request waits while all slots are taken by adapters in use', () => {
  const engine = smallEngine({ maxLora: 1 });
  engine.submit(0, request('x', { adapter: 'x', outputTokens: 100 }));
  engine.submit(0, request('y', { adapter: 'y' }));
  engine.advance(1);
  expect(engine.snapshot()).toMatchObject({ runningAdapters: ['x'], waitingAdapters: ['y'] });
  const events = runUntilIdle(engine);
  expect(timeOf(events, 'first-token', 'y')).toBeGreaterThan(timeOf(events, 'finished', 'x') + 0.5);
});

test('a prompt beyond the context length is rejected, as is an adapter without LoRA', () => {
  const engine = smallEngine({ maxLora: 0 });
  engine.submit(0, request('long', { promptTokens: 512 }));
  engine.submit(0, request('adapted', { adapter: 'x' }));
  expect(engine.advance(0)).toEqual([
    { type: 'rejected', at: 0, id: 'long', reason: 'prompt-too-long' },
    { type: 'rejected', at: 0, id: 'adapted', reason: 'adapters-disabled' },
  ]);
});

test('prefill-only work finishes without a token', () => {
  const engine = smallEngine();
  engine.submit(0, request('embedding', { promptTokens: 50, outputTokens: 0 }));
  expect(runUntilIdle(engine)).toEqual([
    { type: 'finished', at: 0.05, id: 'embedding', generatedTokens: 0, cachedTokens: 0 },
  ]);
});

test('time cannot go back', () => {
  const engine = smallEngine();
  engine.advance(5);
  expect(() => engine.advance(4)).toThrow('went back');
  expect(() => engine.submit(4, request('a'))).toThrow('went back');
});

test('an id can be used again only after its request has left', () => {
  const engine = smallEngine();
  engine.submit(0, request('a'));
  expect(() => engine.submit(0, request('a'))).toThrow('already');
  runUntilIdle(engine);
  engine.submit(1, request('a'));
});

test('parameters out of bounds are refused by name', () => {
  expect(() => createEngine({ ...SMALL, maxNumSeqs: 0, stepSpread: 1 }, Math.random)).toThrow(/maxNumSeqs.*stepSpread/);
});
