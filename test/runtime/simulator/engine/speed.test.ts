import { createEngine } from '../../../../runtime/simulator/engine/engine';
import { seededRandom } from '../../../../runtime/simulator/engine/seeded-random';
import { request, runUntilIdle, SMALL, smallEngine, timeOf } from './engine-trial';

test.each([true, false])(
  'at half speed the steps that begin from then on take twice as long (token events %s)',
  (tokenEvents) => {
    const engine = createEngine(SMALL, seededRandom(1), { tokenEvents });
    engine.submit(0, request(1, { promptTokens: 10, outputTokens: 11 }));
    // Prefill and four more steps are done by 0.05; the sixth is under way.
    engine.advance(0.055);
    engine.setSpeed(0.5);
    expect(timeOf(runUntilIdle(engine), 'finished', 1)).toBeCloseTo(0.06 + 5 * 0.02, 9);
  },
);

test('an engine gets its speed back', () => {
  const engine = smallEngine();
  engine.setSpeed(0.1);
  engine.setSpeed(1);
  engine.submit(0, request(1, { promptTokens: 100 }));
  expect(timeOf(runUntilIdle(engine), 'finished', 1)).toBeCloseTo(0.1, 9);
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('speed %s is refused', (factor) => {
  expect(() => smallEngine().setSpeed(factor)).toThrow('above 0');
});
