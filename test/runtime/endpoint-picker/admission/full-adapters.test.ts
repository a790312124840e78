import { type AwaitsAdapter, createFullAdapters } from '../../../../runtime/endpoint-picker/admission/full-adapters';
import { ROOM } from '../../../../runtime/endpoint-picker/admission/room';

const FULL = { outcome: 'adapter-full', loadMs: 1000 } as const;
const waits = (asideSince?: number, adapter = 'sql'): AwaitsAdapter => ({ request: { adapter }, asideSince });

test('what is full for one request is full for the others, but for who has waited for as long as a load costs', () => {
  const full = createFullAdapters(5000);
  expect(full.found(waits(), ROOM.standard, FULL)).toBe('aside');
  expect(full.before(waits(4001), ROOM.standard)).toBe('aside');
  expect(full.before(waits(4000), ROOM.standard)).toBeUndefined();
});

test('who steps aside waits from then on', () => {
  const full = createFullAdapters(5000);
  const [first, second] = [waits(), waits()];
  full.found(first, ROOM.standard, FULL);
  full.before(second, ROOM.standard);
  expect([first.asideSince, second.asideSince]).toEqual([5000, 5000]);
  createFullAdapters(5500).found(first, ROOM.standard, FULL);
  expect(first.asideSince).toBe(5000);
});

test('what is full for one band, another adapter, or the base model, is for the picker to say', () => {
  const full = createFullAdapters(0);
  full.found(waits(), ROOM.standard, FULL);
  expect(full.before(waits(), ROOM.critical)).toBeUndefined();
  expect(full.before(waits(0, 'chat'), ROOM.standard)).toBeUndefined();
  expect(full.before({ request: {}, asideSince: undefined }, ROOM.standard)).toBeUndefined();
});
