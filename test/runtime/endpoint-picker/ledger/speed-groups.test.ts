import fc from 'fast-check';
import {
  createLearnedSpeed,
  type LearnedSpeed,
  type SpeedMultiples,
  UNKNOWN_POOL_SPEED,
} from '../../../../runtime/endpoint-picker/ledger/learned-speed';
import { groupSpeeds } from '../../../../runtime/endpoint-picker/ledger/speed-groups';

const MEMORY_MS = 300_000;

/** An endpoint that has shown this speed at 0 ms. */
function shown(multiple: number, change: Partial<SpeedMultiples> = {}): LearnedSpeed {
  const own = { step: multiple, sequence: multiple, prompt: multiple, ...change };
  return { ...createLearnedSpeed(UNKNOWN_POOL_SPEED), own, shown: true };
}

function unseen(): LearnedSpeed {
  return createLearnedSpeed(UNKNOWN_POOL_SPEED);
}

describe('the speeds of a pool', () => {
  test('are the reference before any pod has shown one', () => {
    expect(groupSpeeds([unseen(), unseen()], 0)).toEqual(UNKNOWN_POOL_SPEED);
  });

  test('a pod that has shown none has the median of those that have', () => {
    const fresh = unseen();
    const pool = groupSpeeds([shown(1), shown(9), fresh, shown(3)], 0);
    expect(pool).toEqual({ step: expect.closeTo(3), sequence: expect.closeTo(3), prompt: expect.closeTo(3) });
    expect(fresh.present).toEqual(pool);
  });

  test('small differences are none: a group has its mean', () => {
    const [a, b, c] = [shown(1), shown(1.25), shown(3)];
    groupSpeeds([a, b, c], 0);
    expect(a.present).toEqual(b.present);
    expect(a.present.step).toBeCloseTo(Math.sqrt(1.25), 9);
    expect(c.present.step).toBeCloseTo(3, 9);
  });

  test('what a sequence costs differs by context, so it is grouped more widely', () => {
    const [a, b] = [shown(1), shown(2)];
    groupSpeeds([a, b], 0);
    expect(a.present.sequence).toBe(b.present.sequence);
    expect(a.present.step).not.toBe(b.present.step);
  });

  test('steps and prompts are grouped apart', () => {
    const [a, b] = [shown(1), shown(1, { prompt: 5 })];
    groupSpeeds([a, b], 0);
    expect(a.present.step).toBe(b.present.step);
    expect(b.present.prompt / a.present.prompt).toBeCloseTo(5, 9);
  });

  test('a pod that gets no work drifts to the pool and is tried again, one at work does not', () => {
    const slow = shown(8);
    const fast = [shown(1), shown(1)];
    const presentAfter = (ms: number) => {
      groupSpeeds([...fast, slow], ms);
      return slow.present.step;
    };
    expect(presentAfter(0)).toBeCloseTo(8, 6);
    expect(presentAfter(MEMORY_MS)).toBeCloseTo(8 ** Math.exp(-1), 6);
    expect(presentAfter(20 * MEMORY_MS)).toBeCloseTo(1, 6);
    slow.at = 20 * MEMORY_MS;
    expect(presentAfter(20 * MEMORY_MS)).toBeCloseTo(8, 6);
  });

  test('every pod has a speed between the slowest and the fastest shown', () => {
    const own = fc.double({ min: 1e-3, max: 1e3, noNaN: true });
    fc.assert(
      fc.property(fc.array(own, { minLength: 1, maxLength: 20 }), fc.nat(1_000_000), (multiples, now) => {
        const speeds = [...multiples.map((each) => shown(each)), unseen()];
        groupSpeeds(speeds, now);
        const [least, most] = [Math.min(...multiples) * 0.999, Math.max(...multiples) * 1.001];
        for (const { present } of speeds)
          for (const value of Object.values(present)) expect(value >= least && value <= most).toBe(true);
      }),
    );
  });
});
