import fc from 'fast-check';
import { MAX_TOKENS } from '../../../../runtime/endpoint-picker/admission/flow-queue';
import { append, createTenantQueue, type Waiter } from '../../../../runtime/endpoint-picker/admission/tenant-queue';
import { createTenantTurns, QUANTUM_TOKENS } from '../../../../runtime/endpoint-picker/admission/tenant-turns';

/** A queue in which one request of so many tokens waits. */
function queueWith(tokens: number) {
  const queue = createTenantQueue<number>(false);
  append({ item: tokens, tokens, bytes: 0, queue } as Waiter<number>);
  return queue;
}

/** In which order queues of one large request are served, and how often their heads were looked at until the first was. */
function served(sizes: readonly number[]) {
  const turns = createTenantTurns<number>();
  let looks = 0;
  for (const tokens of sizes) {
    const queue = queueWith(tokens);
    const oldest = queue.oldest;
    Object.defineProperty(queue, 'oldest', {
      get() {
        looks += 1;
        return oldest;
      },
    });
    turns.add(queue);
  }
  const order: number[] = [];
  let looksForFirst = 0;
  for (let head = turns.head(); head !== undefined; head = turns.head()) {
    if (order.length === 0) looksForFirst = looks;
    order.push(head.tokens);
    turns.charge(head);
    turns.delete(head.queue);
  }
  return { order, looksForFirst };
}

/** Round by round. */
function expected(sizes: readonly number[]): number[] {
  const rounds = sizes.map((tokens) => Math.ceil(tokens / QUANTUM_TOKENS));
  return sizes.toSorted((a, b) => rounds[sizes.indexOf(a)]! - rounds[sizes.indexOf(b)]!);
}

test('rounds in which nobody is served change nothing in the order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 12 }), (sizes) => {
      expect(served(sizes).order).toEqual(expected(sizes));
    }),
  );
});

test('the first of many large requests is found in steps by the number of queues, not by its size', () => {
  const { looksForFirst } = served(Array.from({ length: 1000 }, (_, i) => MAX_TOKENS - i));
  expect(looksForFirst).toBeLessThan(8 * 1000);
});
