import { setTimeout as sleep } from 'node:timers/promises';
import { inTurns } from '../../../runtime/controller/in-turns';

test('works on all, and on no more at a time than it may', async () => {
  let under = 0;
  let most = 0;
  const done: number[] = [];

  await inTurns([...Array(20).keys()], 3, async (item) => {
    under += 1;
    most = Math.max(most, under);
    await sleep(1);
    under -= 1;
    done.push(item);
  });

  expect(most).toBe(3);
  expect(done.sort((a, b) => a - b)).toEqual([...Array(20).keys()]);
});

test('rejects when nothing is under way any more', async () => {
  let under = 0;
  const work = inTurns([1, 2, 3], 3, async (item) => {
    under += 1;
    await sleep(item);
    under -= 1;
    if (item === 1) throw new Error('no');
  });

  await expect(work).rejects.toThrow('no');
  expect(under).toBe(0);
});

test('of nothing there is nothing to do', async () => {
  await inTurns([], 3, () => Promise.reject(new Error('never')));
});
