import fc from 'fast-check';
import {
  countPending,
  createPendingCount,
  type PendingSighting,
} from '../../../../runtime/endpoint-picker/ledger/pending-count';

const IDLE: PendingSighting = { firstTokens: 0, waiting: 0, running: 0, inFlight: 0, sent: 0 };

/** The count after the last of several scrapes. */
function pendingAfter(...sightings: Array<Partial<PendingSighting>>): number {
  const count = createPendingCount();
  let pending = Number.NaN;
  for (const seen of sightings) pending = countPending(count, { ...IDLE, ...seen });
  return pending;
}

describe('requests without a first token', () => {
  test('are those sent since, less the first tokens since', () => {
    const later = { firstTokens: 13, running: 10, inFlight: 10, sent: 20 };
    expect(pendingAfter({ firstTokens: 10, sent: 10 }, later)).toBe(7);
  });

  test('in the batch or not: a prompt under way runs, and has none', () => {
    expect(pendingAfter({}, { running: 4, inFlight: 4, sent: 4 })).toBe(4);
  });

  test('at first, or after a restart, are those that do not run', () => {
    expect(pendingAfter({ firstTokens: 99, waiting: 1, running: 6, inFlight: 10, sent: 10 })).toBe(4);
    const restarted = { firstTokens: 2, running: 3, inFlight: 5, sent: 100 };
    expect(pendingAfter({ firstTokens: 90, sent: 90 }, restarted)).toBe(2);
  });

  test('first tokens of requests that came by another way are not taken from later ones', () => {
    const quiet = { firstTokens: 50, inFlight: 0, sent: 0 };
    expect(pendingAfter({}, quiet, { firstTokens: 50, running: 3, inFlight: 3, sent: 3 })).toBe(3);
  });

  test('what is not in flight any more is not pending', () => {
    expect(pendingAfter({}, { inFlight: 2, running: 2, sent: 50 })).toBe(2);
  });

  test('those thrown out of the batch wait again, and are not kept in the count', () => {
    const started = { firstTokens: 5, running: 5, inFlight: 5, sent: 5 };
    expect(pendingAfter({}, started, { ...started, waiting: 2, running: 3 })).toBe(2);
    expect(pendingAfter({}, started, { ...started, waiting: 2, running: 3 }, started)).toBe(0);
  });

  test('an engine that does not count first tokens is known by its gauges', () => {
    expect(pendingAfter({ firstTokens: Number.NaN, waiting: 2, running: 3, inFlight: 9 })).toBe(6);
  });

  test('an engine that tells nothing is not known, and does no harm once it tells', () => {
    const silent = { firstTokens: Number.NaN, waiting: Number.NaN, running: Number.NaN, inFlight: 3, sent: 3 };
    expect(pendingAfter(silent)).toBeNaN();
    expect(pendingAfter(silent, { firstTokens: 7, running: 3, inFlight: 3, sent: 3 })).toBe(0);
  });

  test('an engine whose gauges come later than its count is known from then on', () => {
    const silent = { firstTokens: 5, waiting: Number.NaN, running: Number.NaN, inFlight: 1, sent: 1 };
    expect(pendingAfter(silent, { firstTokens: 6, running: 4, inFlight: 4, sent: 5 })).toBe(3);
  });

  test('are never more than are in flight, nor fewer than none', () => {
    const amount = fc.nat(50);
    const seen = fc.record({ firstTokens: amount, waiting: amount, running: amount, inFlight: amount, sent: amount });
    fc.assert(
      fc.property(fc.array(seen, { minLength: 1 }), (sightings) => {
        const count = createPendingCount();
        for (const each of sightings) {
          const pending = countPending(count, each);
          expect(pending >= 0 && pending <= each.inFlight).toBe(true);
        }
      }),
    );
  });
});
