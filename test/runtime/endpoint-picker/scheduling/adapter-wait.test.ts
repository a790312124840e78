import {
  ADAPTER_LOAD_SECONDS,
  adapterSeconds,
  heldBits,
  worthWaitingMs,
} from '../../../../runtime/endpoint-picker/scheduling/adapter-wait';
import { residency } from '../support/fixtures';

const NOW = 1_000_000;

function seconds(
  resident: ReturnType<typeof residency> | undefined,
  { inFlight = {}, recent = {} }: { inFlight?: Record<string, number>; recent?: Record<string, number> } = {},
): number {
  const places = { resident, inFlight: new Map(Object.entries(inFlight)), recent: new Map(Object.entries(recent)) };
  return adapterSeconds('sql', places, NOW);
}

describe('what an adapter costs at an endpoint', () => {
  test('nothing where it runs, is loaded, or was sent since the scrape', () => {
    expect(seconds(residency(['sql', 'b'], 2))).toBe(0);
    expect(seconds(residency(['b'], 2, ['b', 'sql']))).toBe(0);
    expect(seconds(residency([], 1), { inFlight: { sql: 1 } })).toBe(0);
  });

  test('its load where a slot is free', () => {
    expect(seconds(residency(['b'], 2))).toBe(ADAPTER_LOAD_SECONDS);
  });

  test('five times as much where every slot is in use, whether the scrape shows it or the ledger', () => {
    expect(seconds(residency(['b', 'c'], 2))).toBe(5 * ADAPTER_LOAD_SECONDS);
    expect(seconds(residency(['b'], 2), { inFlight: { c: 1 } })).toBe(5 * ADAPTER_LOAD_SECONDS);
  });

  test('an adapter that both runs and is in flight takes one slot', () => {
    expect(seconds(residency(['b'], 2), { inFlight: { b: 3 } })).toBe(ADAPTER_LOAD_SECONDS);
  });

  test('nothing where it came lately and no later one has taken its slot', () => {
    expect(seconds(residency([], 2), { recent: { a: NOW, sql: NOW, b: NOW } })).toBe(0);
    expect(seconds(residency([], 2), { recent: { sql: NOW, a: NOW, b: NOW } })).toBeGreaterThan(0);
  });

  test('the longer the adapter that must go was not used, the less it costs, down to the load', () => {
    const ages = [0, 20_000, 40_000, 60_000, 600_000];
    const costs = ages.map((age) => seconds(residency([], 1), { recent: { other: NOW - age } }));
    expect(costs[0]).toBe(5 * ADAPTER_LOAD_SECONDS);
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    expect(costs.slice(-2)).toEqual([ADAPTER_LOAD_SECONDS, ADAPTER_LOAD_SECONDS]);
  });

  test('of several, the one that goes is the least recently used', () => {
    const recent = { old: NOW - 60_000, fresh: NOW };
    expect(seconds(residency([], 2), { recent })).toBe(ADAPTER_LOAD_SECONDS);
  });

  test('all that cost nothing are held, and no others', () => {
    const bits = new Map(['a', 'b', 'c', 'd', 'e'].map((name, i) => [name, 1 << i]));
    const places = {
      resident: residency(['a'], 4, ['b']),
      inFlight: new Map([['c', 1]]),
      recent: new Map([['e', 0], ...['x', 'y', 'z', 'd'].map((name) => [name, NOW] as const)] as const),
    };
    for (const [name, bit] of bits)
      expect((heldBits(places, bits) & bit) !== 0).toBe(adapterSeconds(name, places, NOW) === 0);
    expect(heldBits(places, bits)).toBe(0b1111);
  });

  test('an engine that does not tell its adapters has one slot', () => {
    expect(seconds(undefined)).toBe(ADAPTER_LOAD_SECONDS);
    expect(seconds(undefined, { inFlight: { other: 1 }, recent: { other: NOW } })).toBe(5 * ADAPTER_LOAD_SECONDS);
    expect(seconds(undefined, { recent: { sql: NOW } })).toBe(0);
  });
});

describe('how long a wait for a pod that holds the adapter is worth', () => {
  const other = { inFlight: { other: 1 }, recent: { other: NOW - 100 } };

  test('as long as it costs to load it', () => {
    expect(worthWaitingMs(seconds(residency([], 1)))).toBe(1000);
    expect(worthWaitingMs(seconds(residency([], 1), { recent: { other: NOW - 30_000 } }))).toBe(3000);
  });

  test('for ever where every slot is in use, but where the engine tells no slots, since there may be more', () => {
    expect(worthWaitingMs(seconds(residency(['other'], 1), other))).toBe(Number.POSITIVE_INFINITY);
    expect(worthWaitingMs(seconds(undefined, other))).toBeLessThan(5000);
  });
});
