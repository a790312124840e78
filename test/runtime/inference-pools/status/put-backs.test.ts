import { createPutBacks } from '../../../../runtime/inference-pools/status/put-backs';
import { VirtualClock } from '../../../support/clocks';

let clock: VirtualClock;
let putBacks: ReturnType<typeof createPutBacks>;
beforeEach(() => {
  clock = new VirtualClock();
  putBacks = createPutBacks(clock, () => 0.5);
});

test('what is undone once is put back at once', () => {
  putBacks.wrote('a', 'x');

  expect(putBacks.dueIn('a', 'x')).toBe(0);
});

test('what is undone again and again waits longer each time, up to a minute', async () => {
  putBacks.wrote('a', 'x');
  const waits: number[] = [];
  for (let i = 0; i < 12; i++) {
    const wait = putBacks.wrote('a', 'x');
    expect(putBacks.dueIn('a', 'x')).toBe(wait);
    waits.push(wait);
    await clock.advance(wait);
    expect(putBacks.dueIn('a', 'x')).toBe(0);
  }

  expect(waits[0]).toBeLessThan(2_000);
  expect(waits[1]).toBe(2 * waits[0]!);
  expect(waits.at(-1)).toBeLessThanOrEqual(60_000);
  expect(waits.at(-1)).toBeGreaterThan(30_000);
});

test('something else is not held back, nor is another key', () => {
  for (let i = 0; i < 3; i++) putBacks.wrote('a', 'x');

  expect(putBacks.dueIn('a', 'x')).toBeGreaterThan(0);
  expect(putBacks.dueIn('a', 'y')).toBe(0);
  expect(putBacks.dueIn('b', 'x')).toBe(0);
  expect(putBacks.wrote('a', 'y')).toBe(0);
});

test('what has lasted begins anew', async () => {
  for (let i = 0; i < 3; i++) putBacks.wrote('a', 'x');
  await clock.advance(300_000);

  expect(putBacks.wrote('a', 'x')).toBe(0);
});

test('what is not retained is forgotten', () => {
  for (let i = 0; i < 3; i++) {
    putBacks.wrote('a', 'x');
    putBacks.wrote('b', 'x');
  }

  putBacks.retain(new Set(['b']));

  expect(putBacks.dueIn('a', 'x')).toBe(0);
  expect(putBacks.dueIn('b', 'x')).toBeGreaterThan(0);
});
