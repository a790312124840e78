import { createRooms, hasRoom, ROOM } from '../../../../runtime/endpoint-picker/admission/room';
import { createCandidates } from '../../../../runtime/endpoint-picker/scheduling/candidates';

const REQUEST = { promptTokens: 1000, outputTokens: 200, blocks: 0, blockTokens: 0 };
const LIMITS = { startMs: 100, kvShare: 0.8 };

/** A KV cache of 100,000 tokens. */
function candidate({ startMs = 0, kvUsage = 0.5, full = false, running = 1, kvTokens = 100_000 } = {}) {
  const candidates = createCandidates(1);
  candidates.count = 1;
  candidates.startMs[0] = startMs;
  candidates.running[0] = running;
  candidates.kvUsage[0] = kvUsage;
  candidates.kvFreeTokens[0] = full ? Number.NEGATIVE_INFINITY : (1 - kvUsage) * kvTokens;
  candidates.matchedBlocks[0] = 0;
  return candidates;
}

test.each([
  ['an endpoint that starts in time and has cache left', {}, true],
  ['one with too many prompts ahead', { startMs: 101 }, false],
  ['one whose cache would be above the share with the request', { kvUsage: 0.789 }, false],
  ['one whose cache is just within it', { kvUsage: 0.787 }, true],
  ['one whose batch is full', { full: true }, false],
  ['one that does not tell its cache', { kvUsage: Number.NaN }, true],
  ['one that tells a full cache, and has nothing at work', { kvUsage: 1, running: 0 }, true],
])('%s', (_what, given, expected) => {
  expect(hasRoom(candidate(given), 0, REQUEST, LIMITS)).toBe(expected);
});

test('a request larger than the share gets in where little is used, so that it never waits for ever', () => {
  const huge = { ...REQUEST, promptTokens: 90_000 };
  expect(hasRoom(candidate({ kvUsage: 0.1 }), 0, huge, LIMITS)).toBe(true);
  expect(hasRoom(candidate({ kvUsage: 0.5 }), 0, huge, LIMITS)).toBe(false);
});

test('a lower band never has room where a higher one has none', () => {
  expect(ROOM.sheddable.startMs).toBeLessThan(ROOM.standard.startMs);
  expect(ROOM.standard.startMs).toBeLessThan(ROOM.critical.startMs);
  expect(ROOM.sheddable.kvShare).toBeLessThan(ROOM.standard.kvShare);
  expect(ROOM.standard.kvShare).toBeLessThan(ROOM.critical.kvShare);
});

test('of a small cache more may be used than the share of the band', () => {
  const request = { ...REQUEST, promptTokens: 100 };
  const fits = (kvTokens: number, kvUsage: number) =>
    hasRoom(candidate({ kvTokens, kvUsage }), 0, request, ROOM.standard);
  expect([fits(30_000, 0.78), fits(30_000, 0.8)]).toEqual([true, false]);
  expect([fits(64_000, 0.48), fits(64_000, 0.5)]).toEqual([true, false]);
  expect([fits(400_000, 0.32), fits(400_000, 0.34)]).toEqual([true, false]);
});

describe('room is held back', () => {
  test('from a band while a higher one is asked for, and for half a minute more', () => {
    const rooms = createRooms();
    rooms.asked('critical', 1000);
    expect(rooms.limitsOf('standard', 30_999)).toBe(ROOM.standard);
    expect(rooms.limitsOf('sheddable', 30_999)).toBe(ROOM.sheddable);
    expect(rooms.limitsOf('standard', 31_000)).toBe(ROOM.critical);
  });

  test('from nobody by a lower band, or by itself', () => {
    const rooms = createRooms();
    rooms.asked('standard', 0);
    rooms.asked('sheddable', 0);
    expect(rooms.limitsOf('critical', 0)).toBe(ROOM.critical);
    expect(rooms.limitsOf('standard', 0)).toBe(ROOM.critical);
    expect(rooms.limitsOf('sheddable', 0)).toBe(ROOM.sheddable);
  });
});
