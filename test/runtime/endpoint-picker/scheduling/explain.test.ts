import { explain } from '../../../../runtime/endpoint-picker/scheduling/explain';
import { weightedScorers } from '../../../../runtime/endpoint-picker/scheduling/weigh';
import { EVERY_WEIGHT, NO_WEIGHTS } from '../support/fixtures';

describe('the explanation', () => {
  test('names the chosen pods, best first, with totals and scores', () => {
    const scorers = weightedScorers({ ...NO_WEIGHTS, queue: 2, kvCache: 2 }, 2);
    scorers[0]!.scores.set([0, 1]);
    scorers[1]!.scores.set([0.8, 0.5]);
    const text = explain(['models/llama-1', 'models/llama-0'], Int32Array.of(1, 0), Float64Array.of(1.6, 3), scorers);
    expect(text).toBe('llama-1 3.00 (queue 1.00 kvCache 0.50) > llama-0 1.60 (queue 0.00 kvCache 0.80)');
  });

  test('shows which of them are equal', () => {
    const pods = ['models/a', 'models/b', 'models/c'];
    expect(explain(pods, Int32Array.of(0, 1, 2), Float64Array.of(2, 2, 1), [])).toBe('a 2.00 = b 2.00 > c 1.00');
  });

  test('is at most 1 KiB of printable ASCII', () => {
    const pods = [1, 2, 3].map((i) => `models/é\r\n${'x'.repeat(600)}${i}`);
    const text = explain(pods, Int32Array.of(0, 1, 2), new Float64Array(3), weightedScorers(EVERY_WEIGHT, 3));
    expect(text.length).toBeLessThanOrEqual(1024);
    expect(text).toMatch(/^[\x20-\x7e]*$/);
  });
});
