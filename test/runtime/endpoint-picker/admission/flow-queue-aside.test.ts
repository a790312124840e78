import {
  createFlowQueue,
  type FlowQueue,
  STARVATION_RATIO,
} from '../../../../runtime/endpoint-picker/admission/flow-queue';
import { AMPLE, type Item, item, takeOne } from './queue-support';

describe('a request that waits for room which others do not need', () => {
  /** Offers all that waits; those that `isAside` step aside, and there is room for `room` others. */
  function dispatch(queue: FlowQueue<Item>, isAside: (one: Item) => boolean, room = Number.POSITIVE_INFINITY) {
    const gone: Item[] = [];
    queue.dispatch(0, (one) => {
      if (isAside(one)) return 'aside';
      if (gone.length >= room) return 'no-room';
      gone.push(one);
      return 'taken';
    });
    return gone;
  }

  it('lets those behind it pass, of its tenant, of others and of lower bands, and keeps its place', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    const first = item();
    const own = item();
    const other = item({ tenant: 'b' });
    const lower = item({ band: 'sheddable' });
    for (const one of [first, own, other, lower]) queue.enqueue(one);
    expect(dispatch(queue, (one) => one === first)).toEqual([own, other, lower]);
    queue.enqueue(item());
    expect(takeOne(queue)?.item).toBe(first);
  });

  it('lets nobody pass who finds no room either', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    const items = [item(), item({ tokens: 5000 }), item(), item({ band: 'sheddable' })];
    for (const one of items) queue.enqueue(one);
    expect(dispatch(queue, (one) => one === items[0], 0)).toEqual([]);
    expect(queue.size).toBe(4);
  });

  it('holds nobody back when it is owed', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    const owed = item({ band: 'sheddable', tokens: 10 });
    queue.enqueue(owed);
    const critical = Array.from({ length: 2 * STARVATION_RATIO }, () => item({ band: 'critical', tokens: 10 }));
    for (const one of critical) queue.enqueue(one);
    expect(dispatch(queue, (one) => one === owed)).toEqual(critical);
  });

  it('lets the tenant that has had least pass first', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    const first = item({ tenant: 'a' });
    queue.enqueue(first);
    for (let i = 0; i < 8; i++) for (const tenant of ['b', 'c']) queue.enqueue(item({ tenant, tokens: 1000 }));
    const passed = dispatch(queue, (one) => one === first, 8).map(({ tenant }) => tenant);
    expect(passed.filter((tenant) => tenant === 'b')).toHaveLength(4);
  });

  it('costs its tenant no part of its share: it is made good when its room has come', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    for (let i = 0; i < 40; i++) {
      queue.enqueue(item({ tenant: 'a', tokens: 1000 }));
      queue.enqueue(item({ tenant: 'b', tokens: 1000 }));
    }
    dispatch(queue, ({ tenant }) => tenant === 'a', 10);
    const next = dispatch(queue, () => false, 20).map(({ tenant }) => tenant);
    expect(next.filter((tenant) => tenant === 'a').length).toBeGreaterThanOrEqual(14);
  });

  it('has only so many behind it looked at', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    for (let i = 0; i < 5000; i++) queue.enqueue(item({ tenant: `t${i % 50}` }));
    let offers = 0;
    queue.dispatch(0, () => {
      offers += 1;
      return 'aside';
    });
    expect(offers).toBeLessThan(400);
  });
});
