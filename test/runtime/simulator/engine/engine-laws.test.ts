import fc from 'fast-check';
import type { Engine } from '../../../../runtime/simulator/engine/engine';
import type { EngineEvent, RequestId } from '../../../../runtime/simulator/engine/types';
import { blockIds, request, runUntilIdle, smallEngine } from './engine-trial';

interface Step {
  readonly wait: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly group: number;
  readonly sharedBlocks: number;
  readonly adapter: string | undefined;
  /** Cancels the request this many places before, when it is still there. */
  readonly cancelBefore: number | undefined;
}

const step: fc.Arbitrary<Step> = fc.record({
  wait: fc.double({ min: 0, max: 0.4, noNaN: true }),
  promptTokens: fc.integer({ min: 1, max: 400 }),
  outputTokens: fc.integer({ min: 0, max: 60 }),
  group: fc.integer({ min: 0, max: 2 }),
  sharedBlocks: fc.integer({ min: 0, max: 25 }),
  adapter: fc.constantFrom(undefined, undefined, 'x', 'y', 'z'),
  cancelBefore: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
});
const steps = fc.array(step, { minLength: 1, maxLength: 25 });

/** A tight engine: KV for one and a half long requests, more adapters than slots. */
const tightEngine = (seed = 1) => smallEngine({ kvTokens: 700, maxModelLen: 480, stepSpread: 0.1 }, seed);

interface Trial {
  readonly events: EngineEvent[];
  readonly cancelled: Set<string>;
}

function play(engine: Engine, plan: readonly Step[], check: (engine: Engine) => void = () => {}): Trial {
  const events: EngineEvent[] = [];
  const cancelled = new Set<string>();
  let now = 0;
  for (const [index, { wait, cancelBefore, ...one }] of plan.entries()) {
    now += wait;
    events.push(...engine.advance(now));
    check(engine);
    engine.submit(
      now,
      request(`${index}`, {
        promptTokens: one.promptTokens,
        outputTokens: one.outputTokens,
        blocks: blockIds(one.group, one.sharedBlocks, Math.floor(one.promptTokens / 16), index),
        ...(one.adapter === undefined ? {} : { adapter: one.adapter }),
      }),
    );
    if (cancelBefore !== undefined && engine.cancel(`${index - cancelBefore}`))
      cancelled.add(`${index - cancelBefore}`);
    check(engine);
  }
  while (engine.nextEventTime() < Number.POSITIVE_INFINITY) {
    events.push(...engine.advance(engine.nextEventTime()));
    check(engine);
  }
  return { events, cancelled };
}

test('every request ends exactly once: finished, rejected or cancelled', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const { events, cancelled } = play(tightEngine(), plan);
      const ends = events.filter((event) => event.type === 'finished' || event.type === 'rejected');
      const ids = [...ends.map((event) => ('id' in event ? event.id : '')), ...cancelled].sort();
      expect(ids).toEqual(plan.map((_, index) => `${index}`).sort());
    }),
    { numRuns: 60 },
  );
});

test('a finished request got as many tokens as were told', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const { events } = play(tightEngine(), plan);
      const tokens = new Map<RequestId, number>();
      for (const event of events) {
        if (event.type === 'tokens') for (const id of event.ids) tokens.set(id, (tokens.get(id) ?? 0) + 1);
        if (event.type !== 'finished') continue;
        const { outputTokens, promptTokens } = plan[Number(event.id)]!;
        expect(event.generatedTokens).toBe(Math.min(outputTokens, 480 - promptTokens));
        expect(tokens.get(event.id) ?? 0).toBe(event.generatedTokens);
      }
    }),
    { numRuns: 60 },
  );
});

test('events come in order of time', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const times = play(tightEngine(), plan).events.map(({ at }) => at);
      expect(times).toEqual([...times].sort((left, right) => left - right));
    }),
    { numRuns: 60 },
  );
});

test('used KV blocks stay within 0 and the capacity, running within maxNumSeqs, adapters within the slots', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      play(tightEngine(), plan, (engine) => {
        const snapshot = engine.snapshot();
        expect(snapshot.usedBlocks).toBeGreaterThanOrEqual(0);
        expect(snapshot.usedBlocks).toBeLessThanOrEqual(snapshot.totalBlocks);
        expect(snapshot.running).toBeLessThanOrEqual(8);
        expect(snapshot.runningAdapters.length).toBeLessThanOrEqual(2);
        expect(snapshot.prefixHits).toBeLessThanOrEqual(snapshot.prefixQueries);
      });
    }),
    { numRuns: 60 },
  );
});

test('an idle engine holds nothing', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const engine = tightEngine();
      play(engine, plan);
      expect(engine.snapshot()).toMatchObject({ frontEnd: 0, waiting: 0, running: 0, usedBlocks: 0 });
    }),
    { numRuns: 60 },
  );
});

test('cancelling everything at any moment frees everything', () => {
  fc.assert(
    fc.property(steps, fc.double({ min: 0, max: 3, noNaN: true }), (plan, moment) => {
      const engine = tightEngine();
      for (const [index, { promptTokens, outputTokens }] of plan.entries()) {
        engine.submit(0, request(`${index}`, { promptTokens, outputTokens }));
      }
      engine.advance(moment);
      for (const index of plan.keys()) engine.cancel(`${index}`);
      expect(engine.snapshot()).toMatchObject({ frontEnd: 0, waiting: 0, running: 0, usedBlocks: 0 });
      const rest = runUntilIdle(engine);
      expect(rest.filter(({ type }) => type !== 'rejected' && type !== 'adapter-loaded')).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test('the same seed and calls give the same events', () => {
  fc.assert(
    fc.property(steps, fc.integer(), (plan, seed) => {
      expect(play(tightEngine(seed), plan).events).toEqual(play(tightEngine(seed), plan).events);
    }),
    { numRuns: 30 },
  );
});

test('how often the caller looks changes nothing', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const submitAll = (engine: Engine) => {
        for (const [index, { promptTokens, outputTokens, wait }] of plan.entries()) {
          engine.submit(wait, request(`${index}`, { promptTokens, outputTokens }));
        }
      };
      const [rare, often] = [tightEngine(), tightEngine()];
      submitAll(rare);
      submitAll(often);
      const events: EngineEvent[] = [];
      for (let now = 0; now <= 30; now += 0.037) events.push(...often.advance(now));
      expect([...events, ...runUntilIdle(often)]).toEqual(runUntilIdle(rare));
    }),
    { numRuns: 30 },
  );
});
