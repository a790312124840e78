import { seededRandom } from '../../../../runtime/simulator/engine/seeded-random';
import type { FleetRequest } from '../../../../runtime/simulator/fleet/fleet-request';
import mixed from '../../../../runtime/simulator/scenarios/mixed-8b.json';
import { parseScenario } from '../../../../runtime/simulator/scenarios/scenario';
import { generateWorkload } from '../../../../runtime/simulator/workload/generate';

const constant = (tokens: number) => ({ kind: 'constant', tokens });
const TIERS = { tiers: [0.6, 0.3, 0.1].map((share) => ({ adapters: 5, share })) };

function generated(changes: object, ratePerSecond?: number, seed = 1): FleetRequest[] {
  const scenario = parseScenario({ ...mixed, ...changes });
  const random = seededRandom(seed);
  return [...generateWorkload(scenario, ratePerSecond === undefined ? { random } : { ratePerSecond, random })];
}

const ALL = {
  arrivalSeconds: 100,
  prefixes: { groups: 5, tokens: 1000, zipf: 1 },
  adapters: TIERS,
  maxOutputTokens: 300,
};

test('arrivals last as long as the scenario says, at its rate', () => {
  const requests = generated({ arrivalSeconds: 300 });
  expect(requests.length / (300 * mixed.ratePerSecond)).toBeCloseTo(1, 1);
  expect(requests.at(-1)!.at).toBeLessThan(300);
});

test('every pass and every run with one seed gives the same requests, another seed gives others', () => {
  const workload = generateWorkload(parseScenario({ ...mixed, ...ALL }), { random: seededRandom(1) });
  const first = [...workload];
  expect([...workload]).toEqual(first);
  expect(generated(ALL)).toEqual(first);
  expect(generated(ALL, undefined, 2)).not.toEqual(first);
});

test('another rate changes the times of the requests and nothing else', () => {
  const slow = generated(ALL, 10).map((request) => ({ ...request, at: 0 }));
  const fast = generated(ALL, 20).map((request) => ({ ...request, at: 0 }));
  expect(fast.slice(0, slow.length)).toEqual(slow);
});

test('a prompt has the hashes of its whole blocks of 64 tokens, 512 at most, and those of private text are its own', () => {
  const short = generated({ promptTokens: constant(63) });
  const middle = generated({ promptTokens: constant(200) });
  const long = generated({ promptTokens: constant(100_000) }, 1);
  expect(short[0]!.prefixHashes).toHaveLength(0);
  expect(middle[0]!.prefixHashes).toHaveLength(3);
  expect(long[0]!.prefixHashes).toHaveLength(512);
  const all = middle.flatMap(({ prefixHashes }) => prefixHashes);
  expect(new Set(all).size).toBe(all.length);
  expect(all.every(Number.isSafeInteger)).toBe(true);
  expect(middle.every(({ blocks }) => blocks.length === 0)).toBe(true);
});

test('prompts of one group share the whole blocks of its prefix and no more', () => {
  const [one, other] = generated({ prefixes: { groups: 1, tokens: 200, zipf: 0 }, promptTokens: constant(100) });
  expect(one!.promptTokens).toBe(300);
  expect(one!.blocks).toHaveLength(12);
  expect(other!.blocks).toBe(one!.blocks);
  expect(other!.prefixHashes.slice(0, 3)).toEqual(one!.prefixHashes.slice(0, 3));
  expect(other!.prefixHashes[3]).not.toBe(one!.prefixHashes[3]);
});

test('groups have nothing in common, and the popular ones come in proportion to 1 / k^zipf', () => {
  const requests = generated({ prefixes: { groups: 3, tokens: 640, zipf: 1 }, promptTokens: constant(10) }, 100);
  const counts = new Map<number, number>();
  for (const { blocks } of requests) counts.set(blocks[0]!, (counts.get(blocks[0]!) ?? 0) + 1);
  const shares = [...counts.values()].sort((one, other) => other - one).map((count) => count / requests.length);
  expect(shares).toHaveLength(3);
  [6 / 11, 3 / 11, 2 / 11].forEach((share, rank) => {
    expect(shares[rank]).toBeCloseTo(share, 1);
  });
  const texts = new Set(requests.map(({ blocks }) => blocks));
  const ids = [...texts].flatMap((blocks) => [...Array.from(blocks)]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('with few prompts in each group, one that comes again is the same to its last block', () => {
  const prefixes = { groups: 2, tokens: 8000, zipf: 0, promptsPerGroup: 3 };
  const requests = generated({ prefixes, promptTokens: constant(1000) });
  const prompts = new Set(requests.map(({ prefixHashes }) => prefixHashes.join()));
  expect(prompts.size).toBe(6);
  expect(new Set(requests.map(({ blocks }) => Array.from(blocks).join())).size).toBe(6);
  expect(new Set(requests.map(({ blocks }) => blocks[499])).size).toBe(2);
  expect(requests[0]!.blocks).toHaveLength(562);
});

test('adapters come by the shares of their tiers, and hashes of one prefix differ by adapter', () => {
  const prefixes = { groups: 1, tokens: 640, zipf: 0 };
  const requests = generated({ adapters: TIERS, prefixes }, 100);
  const firstHash = new Map<string, Set<number>>();
  const counts = [0, 0, 0];
  for (const { adapter, prefixHashes } of requests) {
    counts[Math.floor(Number(adapter!.replace('adapter-', '')) / 5)]! += 1;
    firstHash.set(adapter!, (firstHash.get(adapter!) ?? new Set()).add(prefixHashes[0]!));
  }
  [0.6, 0.3, 0.1].forEach((share, tier) => {
    expect(counts[tier]! / requests.length).toBeCloseTo(share, 1);
  });
  expect([...firstHash.values()].every((hashes) => hashes.size === 1)).toBe(true);
  expect(new Set([...firstHash.values()].flatMap((hashes) => [...hashes])).size).toBe(15);
});

test('max_tokens is sent where the scenario has it, and cuts answers off', () => {
  const requests = generated({ maxOutputTokens: 150 });
  expect(Math.max(...requests.map(({ outputTokens }) => outputTokens))).toBe(150);
  expect(new Set(requests.map(({ maxOutputTokens }) => maxOutputTokens))).toEqual(new Set([150]));
  expect('maxOutputTokens' in generated({})[0]!).toBe(false);
});

test('sizes are whole, at least 1 and at most the bound, with the weights of a mixture', () => {
  const parts = [
    { weight: 3, sizes: { kind: 'lognormal', mean: 2, cv: 3, max: 50 } },
    { weight: 1, sizes: constant(60_000) },
  ];
  const tokens = generated({ promptTokens: { kind: 'mixture', parts } }, 100).map(({ promptTokens }) => promptTokens);
  const long = tokens.filter((count) => count === 60_000);
  const short = tokens.filter((count) => count !== 60_000);
  expect(long.length / tokens.length).toBeCloseTo(0.25, 1);
  expect(short.every((count) => Number.isInteger(count) && count >= 1 && count <= 50)).toBe(true);
});

test('requests use every connection', () => {
  const requests = generated({ connections: 4 });
  expect(new Set(requests.map(({ connection }) => connection))).toEqual(new Set([0, 1, 2, 3]));
});

const BANDS = [
  { priority: 1, share: 0.25 },
  { priority: -1, share: 0.75, tenants: [{ share: 3 }, { share: 1, size: 4 }] },
];

/** Without what depends on other bands: ids of blocks. */
function ofPriority(requests: readonly FleetRequest[], wanted: number): object[] {
  return requests
    .filter(({ priority = 0 }) => priority === wanted)
    .map(({ at, promptTokens, outputTokens, tenant, connection }) => ({
      at,
      promptTokens,
      outputTokens,
      tenant,
      connection,
    }));
}

test('bands have their shares of the rate, in order of arrival', () => {
  const requests = generated({ arrivalSeconds: 400, bands: BANDS });
  expect(ofPriority(requests, 1).length / requests.length).toBeCloseTo(0.25, 1);
  expect(requests.length / (400 * mixed.ratePerSecond)).toBeCloseTo(1, 1);
  expect(requests.map(({ at }) => at)).toEqual(requests.map(({ at }) => at).sort((a, b) => a - b));
});

test('a band’s requests are the same whatever the others send', () => {
  const critical = { priority: 1, share: 0.5 };
  const alone = generated({ ...ALL, bands: [critical, { priority: 0, share: 0.5 }] }, 10);
  const crowded = generated(
    {
      ...ALL,
      bands: [
        { ...critical, share: 0.125 },
        { priority: 0, share: 0.875 },
      ],
    },
    40,
  );
  expect(ofPriority(crowded, 1)).toEqual(ofPriority(alone, 1));
});

test('tenants of a band have their shares and sizes', () => {
  const requests = generated({ arrivalSeconds: 1000, promptTokens: constant(100), bands: BANDS });
  const of = (tenant: string) => requests.filter((request) => request.tenant === tenant);
  const [many, few] = [of('sheddable-0'), of('sheddable-1')];
  expect(many.length / (many.length + few.length)).toBeCloseTo(0.75, 1);
  expect(new Set(many.map(({ promptTokens }) => promptTokens))).toEqual(new Set([100]));
  expect(new Set(few.map(({ promptTokens }) => promptTokens))).toEqual(new Set([400]));
  expect(many.length + few.length).toBe(ofPriority(requests, -1).length);
});

test('prefixes are shared by all bands, and nothing else is', () => {
  const prefixes = { groups: 1, tokens: 640, zipf: 0 };
  const requests = generated({ prefixes, promptTokens: constant(640), bands: BANDS });
  expect(new Set(requests.map(({ prefixHashes }) => prefixHashes[9])).size).toBe(1);
  expect(new Set(requests.map(({ prefixHashes }) => prefixHashes[10])).size).toBe(requests.length);
});
