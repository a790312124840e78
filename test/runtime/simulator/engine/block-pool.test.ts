import fc from 'fast-check';
import { createBlockPool } from '../../../../runtime/simulator/engine/block-pool';

test('a released block is found until its place is needed', () => {
  const pool = createBlockPool(2);
  const block = pool.allocate();
  pool.publish(block, '', 7);
  pool.release(block);
  expect(pool.find('', 7)).toBe(block);
  pool.allocate();
  expect(pool.find('', 7)).toBe(block);
  pool.allocate();
  expect(pool.find('', 7)).toBe(-1);
});

test('scopes do not see each other', () => {
  const pool = createBlockPool(2);
  pool.publish(pool.allocate(), 'x', 7);
  expect(pool.find('y', 7)).toBe(-1);
});

test('the first holder of an id stays its holder', () => {
  const pool = createBlockPool(2);
  const [first, second] = [pool.allocate(), pool.allocate()];
  pool.publish(first, '', 7);
  pool.publish(second, '', 7);
  expect(pool.find('', 7)).toBe(first);
});

test('allocating without a free block and releasing too often are errors', () => {
  const pool = createBlockPool(1);
  const block = pool.allocate();
  expect(() => pool.allocate()).toThrow('no free KV block');
  pool.release(block);
  expect(() => pool.release(block)).toThrow('more often');
});

test('a ledger of holders agrees with the pool after any calls', () => {
  const calls = fc.array(fc.tuple(fc.constantFrom('allocate', 'retain', 'release', 'publish'), fc.nat(20)), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(calls, (plan) => {
      const pool = createBlockPool(8);
      const holders = new Map<number, number>();
      for (const [call, number] of plan) {
        const held = [...holders.keys()];
        const block = held[number % Math.max(1, held.length)];
        if (call === 'allocate' && pool.freeCount() > 0) {
          const fresh = pool.allocate();
          expect(holders.has(fresh)).toBe(false);
          holders.set(fresh, 1);
        } else if (call === 'retain') {
          const found = pool.find('', number);
          if (found < 0) continue;
          pool.retain(found);
          holders.set(found, (holders.get(found) ?? 0) + 1);
        } else if (call === 'publish' && block !== undefined) {
          pool.publish(block, `${block}`, number);
        } else if (call === 'release' && block !== undefined) {
          pool.release(block);
          const left = holders.get(block)! - 1;
          if (left === 0) holders.delete(block);
          else holders.set(block, left);
        }
        expect(pool.freeCount()).toBe(8 - holders.size);
      }
    }),
    { numRuns: 100 },
  );
});

test('an observer hears what can be found, and what cannot any more', () => {
  const heard: string[] = [];
  const pool = createBlockPool(1, {
    stored: (scope, id) => heard.push(`stored ${scope} ${id}`),
    removed: (scope, id) => heard.push(`removed ${scope} ${id}`),
  });
  const block = pool.allocate();
  pool.publish(block, 'sql', 7);
  pool.release(block);
  pool.retain(pool.find('sql', 7));
  pool.release(block);
  expect(heard).toEqual(['stored sql 7']);
  pool.publish(pool.allocate(), '', 8);
  expect(heard).toEqual(['stored sql 7', 'removed sql 7', 'stored  8']);
});
