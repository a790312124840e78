import fc from 'fast-check';
import { exclusionAt, type HealthSubject, isOpen } from '../../../../runtime/endpoint-picker/health/endpoint-health';
import {
  answerBegan,
  readinessChanged,
  requestFailed,
  requestSucceeded,
  scrapeFailed,
  scrapeTold,
} from '../../../../runtime/endpoint-picker/health/evidence';
import { type TestPool, testPool } from './test-pool';

const COUNT = 5;
const which = fc.nat(COUNT - 1);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('connection', 'no-answer', 'errors' as const), which }) },
  fc.record({ kind: fc.constantFrom('began', 'succeeded', 'told' as const), which }),
  fc.record({ kind: fc.constantFrom('refused', 'timeout', 'broken' as const), which }),
  fc.record({ kind: fc.constant('requests' as const), which, requests: fc.nat(30) }),
  fc.record({ kind: fc.constant('ready' as const), which, ready: fc.boolean() }),
  fc.record({ kind: fc.constant('left' as const), which }),
  fc.constant({ kind: 'late' as const }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('passed' as const), ms: fc.nat(12_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Applies them in order, and looks at the pool after each. */
function play(steps: readonly Step[], look: (pool: TestPool, now: number) => void): { pool: TestPool; now: number } {
  const pool = testPool(COUNT);
  const gone: HealthSubject[] = [];
  let now = 0;
  for (const each of steps) {
    if (each.kind === 'passed') now += each.ms;
    else if (each.kind === 'late') {
      for (const endpoint of gone) for (let i = 0; i < 5; i++) requestFailed(endpoint, 'errors', now, now);
    } else {
      const endpoint = pool.endpoints[each.which]!;
      if (each.kind === 'left') gone.push(pool.replace(each.which));
      else if (each.kind === 'began') answerBegan(endpoint, now, now);
      else if (each.kind === 'succeeded') requestSucceeded(endpoint, now, now);
      else if (each.kind === 'told') scrapeTold(endpoint, now);
      else if (each.kind === 'refused' || each.kind === 'timeout') scrapeFailed(endpoint, each.kind, now, now);
      else if (each.kind === 'broken') scrapeFailed(endpoint, 'connection', now, now);
      else if (each.kind === 'requests') endpoint.load.requests = each.requests;
      else if (each.kind === 'ready') {
        if (endpoint.ready !== each.ready) readinessChanged(endpoint, each.ready, now);
        endpoint.ready = each.ready;
        pool.health.ready = pool.endpoints.filter(({ ready }) => ready).length;
      } else requestFailed(endpoint, each.kind, now, now);
    }
    pool.tend(now);
    look(pool, now);
  }
  return { pool, now };
}

test('in whatever order evidence comes, an endpoint that nobody else could replace is not held back', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      play(steps, ({ endpoints }, now) => {
        const usable = endpoints.filter(({ ready, health }) => ready && exclusionAt(health, now) === undefined);
        if (usable.length > 0) expect(usable.some(isOpen)).toBe(true);
      });
    }),
  );
});

test('in whatever order evidence comes, nothing is kept of an endpoint that has left', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      play(steps, ({ endpoints, health }) => {
        const kept = [...health.tended, ...health.excluded];
        expect(kept.filter((endpoint) => !(endpoints as readonly HealthSubject[]).includes(endpoint))).toEqual([]);
      });
    }),
  );
});

test('in whatever order evidence came, an endpoint that is well from then on gets its share in the end', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const played = play(steps, () => undefined);
      const { pool } = played;
      let { now } = played;
      for (let second = 0; second < 60; second++) {
        now += 1000;
        for (const endpoint of pool.endpoints) {
          endpoint.load.requests = 0;
          scrapeTold(endpoint, now);
          pool.tend(now);
          if (!isOpen(endpoint)) continue;
          answerBegan(endpoint, now, now);
          requestSucceeded(endpoint, now, now);
        }
      }
      pool.tend(now);
      expect(pool.endpoints.filter((endpoint) => endpoint.ready && !isOpen(endpoint))).toEqual([]);
      expect([...pool.health.tended].filter(({ ready }) => ready)).toEqual([]);
    }),
  );
});
