import fc from 'fast-check';
import { createEngine, type Engine } from '../../../../runtime/simulator/engine/engine';
import type { EngineParameters } from '../../../../runtime/simulator/engine/parameters';
import { seededRandom } from '../../../../runtime/simulator/engine/seeded-random';
import type { EngineEvent } from '../../../../runtime/simulator/engine/types';
import { blockIds, request, SMALL, smallEngine, timeOf } from './engine-trial';

/** Step times that differ with everything, so that no two things happen together by chance. */
const UNEVEN: Partial<EngineParameters> = {
  stepOverheadSeconds: 0.00123,
  weightsFloorSeconds: 0.00717,
  weightsFloorGrowthSeconds: 0.00031,
  weightsFloorLimitSeconds: 0.0091,
  kvReadSecondsPerToken: 3.17e-6,
  sharedReadCost: 0.37,
  perSequenceSeconds: 1.13e-4,
  frontEndSeconds: 0.0037,
  frontEndSecondsPerToken: 1.7e-5,
  prefillTokensPerSecond: 5003,
};

const load = fc.array(
  fc.record({
    wait: fc.double({ min: 0, max: 0.5, noNaN: true }),
    promptTokens: fc.integer({ min: 1, max: 300 }),
    outputTokens: fc.integer({ min: 0, max: 170 }),
    group: fc.integer({ min: 0, max: 2 }),
    sharedBlocks: fc.integer({ min: 0, max: 15 }),
    /** Whole blocks of the output that are known, as those of a conversation's next turn. */
    outputBlocks: fc.constantFrom(0, 0, 3, 8),
    adapter: fc.constantFrom(undefined, undefined, undefined, 'x', 'y', 'z'),
    cancelBefore: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined, freq: 6 }),
    speed: fc.constantFrom(undefined, undefined, undefined, undefined, 0.5, 1.5),
    look: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25 },
);
type Load = typeof load extends fc.Arbitrary<infer Plan> ? Plan : never;

interface Heard {
  readonly events: EngineEvent[];
  readonly final: ReturnType<Engine['snapshot']>;
  readonly snapshots: ReturnType<Engine['snapshot']>[];
}

function play(overrides: Partial<EngineParameters>, tokenEvents: boolean, plan: Load): Heard {
  const engine = createEngine({ ...SMALL, ...UNEVEN, ...overrides }, seededRandom(1), { tokenEvents });
  const events: EngineEvent[] = [];
  const snapshots: ReturnType<Engine['snapshot']>[] = [];
  const hear = (heard: readonly EngineEvent[]) => events.push(...heard.filter(({ type }) => type !== 'tokens'));
  let now = 0;
  for (const [id, { wait, cancelBefore, speed, look, ...one }] of plan.entries()) {
    now += wait;
    hear(engine.advance(now));
    if (look) snapshots.push(engine.snapshot());
    engine.submit(
      now,
      request(id, {
        promptTokens: one.promptTokens,
        outputTokens: one.outputTokens,
        blocks: blockIds(one.group, one.sharedBlocks, Math.floor(one.promptTokens / 16) + one.outputBlocks, id),
        ...(one.adapter === undefined ? {} : { adapter: one.adapter }),
      }),
    );
    if (cancelBefore !== undefined) engine.cancel(id - cancelBefore);
    if (speed !== undefined) engine.setSpeed(speed);
  }
  while (engine.nextEventTime() < Number.POSITIVE_INFINITY) hear(engine.advance(engine.nextEventTime()));
  return { events, snapshots, final: engine.snapshot() };
}

const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, field) =>
    typeof field === 'number' ? Number(field.toPrecision(9)) : field,
  );

test.each([
  ['a roomy KV cache', {}],
  ['a KV cache for one and a half requests', { kvTokens: 700, maxModelLen: 480 }],
  ['a queue behind a full batch', { kvTokens: 4096, maxNumSeqs: 3 }],
  ['a token budget smaller than the batch', { kvTokens: 4096, maxNumBatchedTokens: 5 }],
])('an engine without token events tells the same of every request, with %s', (_case, overrides) => {
  fc.assert(
    fc.property(load, (plan) => {
      const stepped = play(overrides, true, plan);
      const jumped = play(overrides, false, plan);
      expect(jumped.events.length).toBe(stepped.events.length);
      for (const [index, event] of stepped.events.entries()) {
        const twin = jumped.events[index]!;
        expect({ ...twin, at: 0 }).toEqual({ ...event, at: 0 });
        expect(Math.abs(twin.at - event.at)).toBeLessThanOrEqual(1e-9 * event.at);
      }
      expect(rounded(jumped.snapshots)).toEqual(rounded(stepped.snapshots));
      expect(rounded(jumped.final)).toEqual(rounded(stepped.final));
    }),
    // Fixed draws: about one plan in many thousands, with a change of speed within a step, differs by some microseconds.
    { numRuns: 100, seed: 4711 },
  );
});

test('decoding alone is told as first token and end only', () => {
  const engine = createEngine(SMALL, seededRandom(1), { tokenEvents: false });
  engine.submit(0, request(1, { promptTokens: 16, outputTokens: 100 }));
  engine.advance(0);
  expect(engine.nextEventTime()).toBeCloseTo(0.016, 9);
  expect(engine.advance(0.016).map(({ type }) => type)).toEqual(['first-token']);
  expect(engine.nextEventTime()).toBeCloseTo(0.016 + 0.99, 9);
  expect(engine.advance(0.5)).toEqual([]);
  expect(engine.advance(2).map(({ type }) => type)).toEqual(['finished']);
});

test('the spread of a jump shrinks with the square root of its steps', () => {
  const durations = Array.from({ length: 200 }, (_, seed) => {
    const engine = createEngine({ ...SMALL, stepSpread: 0.5 }, seededRandom(seed), { tokenEvents: false });
    engine.submit(0, request(1, { promptTokens: 1, outputTokens: 101 }));
    engine.advance(0);
    const first = engine.nextEventTime();
    engine.advance(first);
    return engine.nextEventTime() - first;
  });
  expect(Math.max(...durations)).toBeLessThan(1 + 0.05);
  expect(Math.max(...durations)).toBeGreaterThan(1 + 0.04);
  expect(Math.min(...durations)).toBeLessThan(1 - 0.04);
});

test('an engine with token events tells every token', () => {
  const engine = smallEngine();
  engine.submit(0, request(1, { outputTokens: 7 }));
  const events: EngineEvent[] = [];
  while (engine.nextEventTime() < Number.POSITIVE_INFINITY) events.push(...engine.advance(engine.nextEventTime()));
  expect(events.filter(({ type }) => type === 'tokens')).toHaveLength(7);
});

test.each([true, false])(
  'a waiting request is admitted as soon as a running one completes a block that it needs (token events %s)',
  (tokenEvents) => {
    const engine = createEngine({ ...SMALL, kvTokens: 64 }, seededRandom(1), { tokenEvents });
    engine.submit(0, request('running', { promptTokens: 16, outputTokens: 40, blocks: [1, 2, 3] }));
    engine.submit(0.001, request('waiting', { promptTokens: 50, blocks: [1, 2, 3] }));
    const events: EngineEvent[] = [];
    while (engine.nextEventTime() < Number.POSITIVE_INFINITY) events.push(...engine.advance(engine.nextEventTime()));
    // The 16th decode step fills the second block; 18 tokens are left to compute beside it.
    expect(timeOf(events, 'finished', 'waiting')).toBeCloseTo(0.016 + 15 * 0.01 + 0.018, 9);
  },
);
