import { createFaultState } from '../../../../runtime/simulator/model-server/fault-state';

function trial() {
  const rates: number[] = [];
  const clock = { now: 0 };
  const state = createFaultState({ setRate: (rate) => rates.push(rate) }, () => clock.now, {});
  return { state, rates, clock };
}

test('slowdown and freeze change the rate of engine time, clearing restores it', () => {
  const { state, rates } = trial();
  state.set({ slowdown: 4 });
  state.set({ slowdown: 4, freeze: true });
  state.set({});
  expect(rates).toEqual([1, 0.25, 0, 1]);
});

test('a start delay counts from the moment it is set', () => {
  const { state, clock } = trial();
  clock.now = 1000;
  state.set({ startDelaySeconds: 2 });
  clock.now = 2999;
  expect(state.isReady()).toBe(false);
  clock.now = 3000;
  expect(state.isReady()).toBe(true);
});

test('what waits for the thaw runs once, unless it was taken back', () => {
  const { state } = trial();
  const ran: string[] = [];
  state.set({ freeze: true });
  state.whenThawed(() => ran.push('stays'));
  state.whenThawed(() => ran.push('leaves'))();
  expect(ran).toEqual([]);
  state.set({});
  state.set({});
  expect(ran).toEqual(['stays']);
});
