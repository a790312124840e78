import { createEngine } from '../../../../runtime/simulator/engine/engine';
import { parameterFaults } from '../../../../runtime/simulator/engine/parameters';
import { ENGINE_PROFILES, type EngineProfile, readProfiles } from '../../../../runtime/simulator/engine/profiles';
import { request, runUntilIdle, timeOf } from './engine-trial';

const PROFILES: [string, EngineProfile][] = Object.entries(ENGINE_PROFILES);

test.each(PROFILES)('%s is within bounds and says where it comes from', (_name, profile) => {
  expect(parameterFaults(profile.parameters)).toEqual([]);
  expect(profile.source).not.toBe('');
  expect(profile.uncertainty).toBeGreaterThan(0);
});

test('a single stream of 8B on an H100 makes a token each 7.2 ms, as measured', () => {
  const { parameters } = ENGINE_PROFILES['llama-8b-h100'];
  const engine = createEngine({ ...parameters, stepSpread: 0 }, Math.random);
  engine.submit(0, request('a', { promptTokens: 100, outputTokens: 101 }));
  const events = runUntilIdle(engine);
  const interval = (timeOf(events, 'finished', 'a') - timeOf(events, 'first-token', 'a')) / 100;
  expect(interval).toBeGreaterThan(0.0071);
  expect(interval).toBeLessThan(0.0073);
});

test('every wrong field of profile data is named with its profile', () => {
  const { parameters, ...rest } = ENGINE_PROFILES['llama-8b-h100'];
  const data = { fast: { ...rest, source: '', parameters: { ...parameters, kvTokens: 'many', turbo: 1 } } };
  expect(() => readProfiles(data)).toThrow(
    /engine profiles: .*fast.parameters.kvTokens: expected.*fast.parameters: .*turbo.*/,
  );
  expect(() => readProfiles(data)).toThrow('fast.source');
});
