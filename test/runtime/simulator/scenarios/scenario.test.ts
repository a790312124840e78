import { ENGINE_PROFILES, type EngineProfileName } from '../../../../runtime/simulator/engine/profiles';
import { SCENARIOS } from '../../../../runtime/simulator/scenarios';
import mixed from '../../../../runtime/simulator/scenarios/mixed-8b.json';
import { parseScenario } from '../../../../runtime/simulator/scenarios/scenario';

function faultsOf(changes: object): string {
  try {
    parseScenario({ ...mixed, ...changes });
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

test('there is a scenario for each row of the table and each hazard, named as its file', () => {
  expect([...SCENARIOS.keys()]).toEqual([
    'mixed-8b',
    'mixed-32b',
    'burst-70b',
    'burst-235b',
    'shared-prefix-8b',
    'homogeneous-8b',
    'lora',
    'long-context',
    'cache-pressure',
    'pod-loss',
    'metrics-outage',
    'scale-up',
    'overload',
  ]);
});

test('every sweep has the default load or lies on both sides of it', () => {
  for (const { name, rates, ratePerSecond } of SCENARIOS.values()) {
    expect([name, rates[0]! <= ratePerSecond && ratePerSecond <= rates.at(-1)!]).toEqual([name, true]);
  }
});

test('no prompt and answer together are longer than what every pod of the fleet takes', () => {
  // Sizes without a bound are sizes that a rare draw makes too long.
  const bound = (sizes: ReturnType<typeof parseScenario>['promptTokens']): number =>
    sizes.kind === 'constant'
      ? sizes.tokens
      : sizes.kind === 'mixture'
        ? Math.max(...sizes.parts.map((part) => bound(part.sizes)))
        : (sizes.max ?? Number.POSITIVE_INFINITY);
  for (const scenario of SCENARIOS.values()) {
    const longest = (scenario.prefixes?.tokens ?? 0) + bound(scenario.promptTokens) + bound(scenario.outputTokens);
    for (const { profile } of scenario.fleet) {
      expect([
        scenario.name,
        profile,
        longest <= ENGINE_PROFILES[profile as EngineProfileName].parameters.maxModelLen,
      ]).toEqual([scenario.name, profile, true]);
    }
  }
});

test('a field that is not known is named', () => {
  expect(faultsOf({ ratePerMinute: 3 })).toMatch(/scenario "mixed-8b":\n.*"ratePerMinute"/);
});

test('an unknown engine profile is answered with the known ones', () => {
  expect(faultsOf({ fleet: [{ profile: 'llama-9b', pods: 1 }] })).toMatch(/"llama-8b-h100".*\n.*fleet\[0\]\.profile/s);
});

test('an engine parameter out of bounds is named with its bound', () => {
  const fleet = [{ profile: 'llama-8b-h100', pods: 1, overrides: { maxNumSeqs: 0 } }];
  expect(faultsOf({ fleet })).toMatch(/maxNumSeqs: expected a whole number from 1.*\n.*fleet\[0\]\.overrides/s);
});

test('an event of a pod that the fleet does not have is refused', () => {
  const events = [{ at: 1, kind: 'pod-lost', pods: [8] }];
  expect(faultsOf({ events })).toMatch(/there is no pod 8: the fleet's 8 pods are numbered from 0.*events\[0\]\.pods/s);
});

test('the shares of adapters must make one whole', () => {
  const adapters = { tiers: [{ adapters: 1, share: 0.5 }] };
  expect(faultsOf({ adapters })).toMatch(/shares of all tiers must add up to 1.*adapters\.tiers/s);
});

test('a burst must not be longer than its period', () => {
  const arrivals = {
    process: 'bursts',
    base: 1,
    burst: { from: 2, to: 3 },
    burstSeconds: 61,
    everySeconds: 60,
  };
  expect(faultsOf({ arrivals })).toMatch(/must not be above everySeconds.*arrivals\.burstSeconds/s);
});

test('what a data file leaves out has the documented default', () => {
  expect(parseScenario(mixed)).toMatchObject({
    events: [],
    connections: 16,
    scrape: { delaySeconds: 0.005, loss: 0 },
    warmupSeconds: 60,
    arrivalSeconds: 600,
    noticeSeconds: 10,
  });
});

test('the shares of bands must add up to 1', () => {
  const bands = [
    { priority: 1, share: 0.3 },
    { priority: -1, share: 0.6 },
  ];
  expect(faultsOf({ bands })).toContain('the shares of all bands must add up to 1');
  expect(faultsOf({ bands: [...bands, { priority: 0, share: 0.1 }] })).toBe('');
});
