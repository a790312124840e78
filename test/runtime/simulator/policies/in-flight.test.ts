import { createInFlight } from '../../../../runtime/simulator/policies/in-flight';

test('a request is counted at the first pod until it ends', () => {
  const inFlight = createInFlight(3);
  const { pods, ticket } = inFlight.send([2, 0]);
  expect(pods).toEqual([2, 0]);
  expect([0, 1, 2].map(inFlight.of)).toEqual([0, 0, 1]);
  ticket!.ended(true);
  expect([0, 1, 2].map(inFlight.of)).toEqual([0, 0, 0]);
});

test('a request that moves twice is counted once', () => {
  const inFlight = createInFlight(3);
  const { ticket } = inFlight.send([0, 1, 2]);
  ticket!.served!(1);
  ticket!.served!(2);
  expect([0, 1, 2].map(inFlight.of)).toEqual([0, 0, 1]);
  ticket!.ended(false);
  expect([0, 1, 2].map(inFlight.of)).toEqual([0, 0, 0]);
});
