import { createOutcome } from '../../../../runtime/simulator/fleet/outcome';
import { fleetRequest } from './fleet-trial';

/** An answer whose first token came `firstToken` seconds after the arrival. */
function answer(at: number, firstToken: number, promptTokens = 100) {
  return { request: fleetRequest(at, { promptTokens }), ticket: undefined, firstTokenAt: at + firstToken };
}

function end(at: number, cachedTokens = 0, generatedTokens = 11) {
  return { at, cachedTokens, generatedTokens };
}

test('requests of the warm-up count for nothing but throughput and the pods’ shares', () => {
  const outcome = createOutcome(2, 10, 1);
  for (const at of [9, 9.5, 10]) outcome.arrived(fleetRequest(at));
  outcome.refused(fleetRequest(9));
  outcome.failed(fleetRequest(9.5));
  outcome.sentTo(0);
  outcome.sentTo(1);
  outcome.sentTo(1);
  outcome.finished(answer(9, 0.5), end(10, 50));
  outcome.finished(answer(10, 0.25), end(11, 20));
  const result = outcome.result(3);
  expect(result).toMatchObject({ requests: 1, refused: 0, errors: 0, preemptions: 3, requestsByPod: [1, 2] });
  expect([...result.firstTokenSeconds]).toEqual([0.25]);
  expect(result.outputTokensPerSecond).toBe(22 / (11 - 9));
  expect(result.prefixHitRate).toBe(0.2);
});

test('refused and failed requests are counted apart, and are never good', () => {
  const outcome = createOutcome(1, 0, 1);
  for (let at = 0; at <= 10; at++) outcome.arrived(fleetRequest(at));
  outcome.refused(fleetRequest(1));
  outcome.refused(fleetRequest(2));
  outcome.failed(fleetRequest(3));
  for (let at = 4; at <= 8; at++) outcome.finished(answer(at, 0.5), end(at + 1));
  const result = outcome.result(0);
  expect(result).toMatchObject({ requests: 11, refused: 2, errors: 1 });
  expect(result.goodputPerSecond).toBe(5 / 10);
});

test('an answer is good when its first token comes within the limit', () => {
  const outcome = createOutcome(1, 0, 1);
  for (const at of [0, 1, 2, 4]) outcome.arrived(fleetRequest(at));
  outcome.finished(answer(0, 1), end(2));
  outcome.finished(answer(1, 1.001), end(3));
  outcome.finished(answer(2, 0.1), end(3));
  expect(outcome.result(0).goodputPerSecond).toBe(2 / 4);
});

test('throughput is all generated tokens from the first arrival to the last end', () => {
  const outcome = createOutcome(1, 0, 1);
  outcome.arrived(fleetRequest(5));
  outcome.arrived(fleetRequest(6));
  outcome.finished(answer(5, 0.1), end(7, 0, 30));
  outcome.finished(answer(6, 0.1), end(15, 0, 20));
  expect(outcome.result(0).outputTokensPerSecond).toBe(50 / 10);
});

test('an answer that the engine cut off counts for the tokens it had', () => {
  const outcome = createOutcome(1, 0, 1);
  outcome.arrived(fleetRequest(0));
  outcome.finished({ ...answer(0, 0.5), request: fleetRequest(0, { outputTokens: 1000 }) }, end(2.5, 0, 5));
  expect(outcome.result(0)).toMatchObject({ outputTokensPerSecond: 2, interTokenMeanSeconds: 0.5 });
});

test('inter-token time is a mean over tokens, first tokens left out', () => {
  const outcome = createOutcome(1, 0, 1);
  outcome.arrived(fleetRequest(0));
  outcome.finished(answer(0, 0.5), end(1.5, 0, 11));
  outcome.finished(answer(0, 0.5), end(3.5, 0, 91));
  expect(outcome.result(0).interTokenMeanSeconds).toBeCloseTo(4 / 100, 12);
});

test('the hit rate is by tokens, of the answered', () => {
  const outcome = createOutcome(1, 0, 1);
  outcome.arrived(fleetRequest(0));
  outcome.finished(answer(0, 0.5, 100), end(1));
  outcome.finished(answer(0, 0.5, 300), end(1, 200));
  expect(outcome.result(0).prefixHitRate).toBe(0.5);
});

test('first-token times are sorted, however many there are', () => {
  const outcome = createOutcome(1, 0, 1);
  outcome.arrived(fleetRequest(0));
  for (let i = 0; i < 3000; i++) outcome.finished(answer(0, ((i * 7919) % 3000) / 1000), end(10));
  const { firstTokenSeconds } = outcome.result(0);
  expect(firstTokenSeconds).toEqual(Float64Array.from({ length: 3000 }, (_, i) => i / 1000));
});

test('bands are counted apart, and together', () => {
  const outcome = createOutcome(1, 0, 1);
  const critical = fleetRequest(0, { priority: 5 });
  const sheddable = fleetRequest(10, { priority: -1 });
  for (const request of [critical, critical, sheddable, sheddable, sheddable]) outcome.arrived(request);
  outcome.finished({ ...answer(0, 0.5), request: critical }, end(1));
  outcome.failed(critical);
  outcome.refused(sheddable);
  outcome.expired(sheddable);
  outcome.finished({ ...answer(10, 2), request: sheddable }, end(13));
  const result = outcome.result(0);
  expect(result).toMatchObject({ requests: 5, refused: 2, errors: 1, goodputPerSecond: 0.1 });
  expect([...result.bands]).toEqual([
    [
      'critical',
      {
        requests: 2,
        refused: 0,
        expired: 0,
        errors: 1,
        firstTokenSeconds: Float64Array.of(0.5),
        goodputPerSecond: 0.1,
      },
    ],
    [
      'sheddable',
      { requests: 3, refused: 1, expired: 1, errors: 0, firstTokenSeconds: Float64Array.of(2), goodputPerSecond: 0 },
    ],
  ]);
});
