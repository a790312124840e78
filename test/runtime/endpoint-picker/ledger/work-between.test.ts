import { workBetween } from '../../../../runtime/endpoint-picker/ledger/work-between';
import { engineCounters } from '../support/fixtures';

const BEFORE = engineCounters({ steps: 100, promptTokens: 5000, cachedTokens: 1000, generatedTokens: 800 });
const AFTER = engineCounters({ steps: 150, promptTokens: 9000, cachedTokens: 3500, generatedTokens: 2000 });

describe('the work between two scrapes', () => {
  test('is what the counters grew by, without the cached prompt tokens', () => {
    expect(workBetween(BEFORE, AFTER, 1.5, 2)).toEqual({
      seconds: 1.5,
      steps: 50,
      generatedTokens: 1200,
      promptTokens: 1500,
      starts: 2,
    });
  });

  test('is not known where an engine does not count steps or prompts, or had nothing to do', () => {
    for (const silent of [
      workBetween(engineCounters(), engineCounters(), 1, 0),
      workBetween(BEFORE, { ...AFTER, steps: Number.NaN }, 1, 0),
      workBetween(BEFORE, { ...AFTER, promptTokens: Number.NaN }, 1, 0),
      workBetween(BEFORE, BEFORE, 1, 0),
      workBetween(BEFORE, AFTER, 0, 0),
    ])
      expect(silent).toBeUndefined();
  });

  test('is not known over a restart, whichever counter shows it', () => {
    for (const name of ['steps', 'promptTokens', 'cachedTokens', 'generatedTokens'] as const)
      expect(workBetween(BEFORE, { ...AFTER, [name]: 0 }, 1, 0)).toBeUndefined();
  });

  test('an engine that does not tell cached or generated tokens has none', () => {
    const [before, after] = [BEFORE, AFTER].map((each) => ({
      ...each,
      cachedTokens: Number.NaN,
      generatedTokens: Number.NaN,
    }));
    expect(workBetween(before!, after!, 1, 0)).toMatchObject({ promptTokens: 4000, generatedTokens: 0 });
  });

  test('never has fewer than no prompt tokens', () => {
    expect(workBetween(BEFORE, { ...AFTER, cachedTokens: 90_000 }, 1, 0)?.promptTokens).toBe(0);
  });
});
