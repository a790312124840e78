import fc from 'fast-check';
import type { PickRequest, PickResult, Ticket } from '../../../../runtime/endpoint-picker/endpoint-picker';
import { RouterSession } from '../../../../runtime/picker-rpc/serve/router-session';
import type { RouterMessage } from '../../../../runtime/picker-rpc/wire/router-messages';

const REQUEST: PickRequest = { scheduler: 'a/b', model: 'm', promptBytes: 4, prefixHashes: [], explain: false };
const ENTRY = { scheduler: 'a/b', adapter: undefined, promptBytes: 4, maxOutputTokens: undefined, answered: false };

/** A mock of a picker: it counts what is in flight, and holds every third pick until it is told to decide. */
function mockPicker() {
  const ends = new Map<number, number>();
  const held: Array<() => void> = [];
  let entered = 0;
  let asked = 0;
  const enter = (): Ticket => {
    const own = entered++;
    ends.set(own, 0);
    return { served() {}, firstToken() {}, done: () => void ends.set(own, ends.get(own)! + 1) };
  };
  const picked = (): PickResult => ({ outcome: 'picked', endpoints: ['x:1'], ticket: enter() });
  return {
    ends,
    enter,
    pick() {
      if (++asked % 3 > 0) return picked();
      const { promise, resolve } = Promise.withResolvers<PickResult>();
      let over = false;
      const settle = (result: () => PickResult) => {
        if (!over) resolve(result());
        over = true;
      };
      held.push(() => settle(picked));
      return { result: promise, cancel: () => settle(() => ({ outcome: 'cancelled', retryAfterSeconds: 1 })) };
    },
    async decideAll() {
      for (const one of held.splice(0)) one();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const id = fc.nat(5);
const event: fc.Arbitrary<RouterMessage | { readonly type: 'disconnect' } | { readonly type: 'decide' }> = fc.oneof(
  id.map((own) => ({ type: 'pick', id: own, request: REQUEST }) as const),
  id.map((own) => ({ type: 'told', id: own, request: REQUEST, endpoints: ['x:1'], matchedBlocks: 0 }) as const),
  id.map((own) => ({ type: 'cancel', id: own }) as const),
  id.map((own) => ({ type: 'served', id: own, address: 'y:1', attempts: 1, status: 200 }) as const),
  id.map((own) => ({ type: 'done', id: own, status: 200 }) as const),
  fc.record({
    type: fc.constant('snapshot' as const),
    last: fc.boolean(),
    entries: fc.array(id.map((own) => ({ ...ENTRY, id: own, address: 'x:1' }))),
  }),
  fc.constant({ type: 'disconnect' } as const),
  fc.constant({ type: 'decide' } as const),
);

test('whatever comes in whatever order, every ledger entry ends once, and none is left when the router is gone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const picker = mockPicker();
      const session = new RouterSession(
        { picker, enter: picker.enter, knows: () => true, onPickerError() {} },
        () => {},
      );
      for (const one of events) {
        if (one.type === 'disconnect') session.disconnected();
        else if (one.type === 'decide') await picker.decideAll();
        else session.receive(one);
        const open = [...picker.ends.values()].filter((ends) => ends === 0).length;
        expect(open).toBeLessThanOrEqual(session.size);
      }
      await picker.decideAll();
      session.lost();
      await picker.decideAll();
      expect([...picker.ends.values()].every((ends) => ends === 1)).toBe(true);
      expect(session.size).toBe(0);
    }),
  );
});

test('what a snapshot names is not held any more, and has one entry', async () => {
  const picker = mockPicker();
  const session = new RouterSession({ picker, enter: picker.enter, knows: () => true, onPickerError() {} }, () => {});
  // The third is held.
  for (const own of [0, 1, 2]) session.receive({ type: 'pick', id: own, request: REQUEST });
  session.receive({ type: 'snapshot', last: false, entries: [{ ...ENTRY, id: 2, address: 'x:1' }] });
  await picker.decideAll();
  expect(session.size).toBe(3);
  expect(picker.ends.size).toBe(3);
  session.lost();
  expect([...picker.ends.values()]).toEqual([1, 1, 1]);
});

test('a snapshot ends what it does not name and enters what is not known', () => {
  const picker = mockPicker();
  const session = new RouterSession({ picker, enter: picker.enter, knows: () => true, onPickerError() {} }, () => {});
  session.receive({ type: 'pick', id: 1, request: REQUEST });
  session.receive({ type: 'pick', id: 2, request: REQUEST });
  const entries = [2, 9].map((own) => ({ ...ENTRY, id: own, address: 'x:1' }));
  session.receive({ type: 'snapshot', entries: entries.slice(0, 1), last: false });
  session.receive({ type: 'snapshot', entries: entries.slice(1), last: true });
  expect([...picker.ends.values()]).toEqual([1, 0, 0]);
  expect(session.size).toBe(2);
});

test('a pick that another replica has made takes the place of the own one', () => {
  const picker = mockPicker();
  const session = new RouterSession({ picker, enter: picker.enter, knows: () => true, onPickerError() {} }, () => {});
  session.receive({ type: 'pick', id: 1, request: REQUEST });
  session.receive({ type: 'told', id: 1, request: REQUEST, endpoints: ['y:1'], matchedBlocks: 0 });
  expect([...picker.ends.values()]).toEqual([1, 0]);
});
