import { ReceiveWindow } from '../../../../runtime/ext-proc/http2/receive-window';

test('the peer is told nothing within its first window, and then keeps no more than the steady one', () => {
  const window = new ReceiveWindow(1_000, 100);

  expect(window.take(950)).toBe(true);
  expect(window.update()).toBe(50);
  expect(window.take(49)).toBe(true);
  expect(window.update()).toBe(0);
  expect(window.take(1)).toBe(true);
  expect(window.update()).toBe(50);
});

test('a peer that sends more than it may is found out', () => {
  const window = new ReceiveWindow(100);

  expect(window.take(100)).toBe(true);
  expect(window.take(1)).toBe(false);
});
