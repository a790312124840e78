import fc from 'fast-check';
import { BodyBudget } from '../../../runtime/ext-proc/body-budget';

test('a budget never hands out more than its limit and gets all of it back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), fc.array(fc.nat(400)), (limit, requests) => {
      const budget = new BodyBudget(limit);
      const granted = requests.filter((bytes) => {
        const before = budget.usedBytes;
        const yes = budget.reserve(bytes);
        expect(yes).toBe(before + bytes <= limit);
        expect(budget.usedBytes).toBe(yes ? before + bytes : before);
        return yes;
      });
      for (const bytes of granted) budget.release(bytes);
      expect(budget.usedBytes).toBe(0);
    }),
  );
});
