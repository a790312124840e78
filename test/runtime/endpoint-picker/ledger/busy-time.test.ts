import { busyMs, createBusyTime, noteRequests } from '../../../../runtime/endpoint-picker/ledger/busy-time';

describe('busy time', () => {
  test('runs while any request is in flight', () => {
    const busy = createBusyTime();
    expect(busyMs(busy, 500)).toBe(0);
    noteRequests(busy, 1, 1000);
    noteRequests(busy, 2, 1100);
    noteRequests(busy, 1, 1200);
    expect(busyMs(busy, 1500)).toBe(500);
    noteRequests(busy, 0, 2000);
    expect(busyMs(busy, 9000)).toBe(1000);
    noteRequests(busy, 1, 10_000);
    expect(busyMs(busy, 10_250)).toBe(1250);
  });

  test('counts how often it began, not how many requests came', () => {
    const busy = createBusyTime();
    for (const requests of [1, 2, 3, 2, 1, 0, 0, 1, 0]) noteRequests(busy, requests, 0);
    expect(busy.starts).toBe(2);
  });
});
