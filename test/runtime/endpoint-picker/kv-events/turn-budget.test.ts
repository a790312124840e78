import { createTurnBudget } from '../../../../runtime/endpoint-picker/kv-events/turn-budget';

test('work of all who ask is cut when a turn is used up, and goes on in the next', async () => {
  let now = 0;
  let turns = 0;
  const budget = createTurnBudget(
    () => now,
    () =>
      new Promise((resolve) =>
        setImmediate(() => {
          turns += 1;
          resolve();
        }),
      ),
  );
  const worker = async (pieces: number) => {
    for (let piece = 0; piece < pieces; piece++) await budget.run(() => now++);
  };
  await Promise.all(Array.from({ length: 10 }, () => worker(3)));
  expect(now).toBe(30);
  // Three pieces fit a turn: at 0, 1 and 2 ms of it.
  expect(turns).toBe(9);
});

test('what the work throws is passed on', async () => {
  const budget = createTurnBudget(
    () => 0,
    () => Promise.resolve(),
  );
  await expect(
    budget.run(() => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
});
