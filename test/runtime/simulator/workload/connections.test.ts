import { createConnections } from '../../../../runtime/simulator/workload/connections';

test('each of 16 connections has about as many requests as the others, the same each time', () => {
  const drawn = () => Array.from({ length: 1600 }, createConnections());
  const counts = new Map<number, number>();
  for (const connection of drawn()) counts.set(connection, (counts.get(connection) ?? 0) + 1);
  expect([...counts.keys()].sort((one, other) => one - other)).toEqual(Array.from({ length: 16 }, (_, index) => index));
  expect(Math.min(...counts.values())).toBeGreaterThan(50);
  expect(drawn()).toEqual(drawn());
});
