import { gateway, scheduler } from '../body-router/fixtures';
import { memoryRecorder, picked, REQUEST } from './support';

test('begins with who records and which schedulers there are, and tells of others', () => {
  const { recorder, clock, lines } = memoryRecorder({ state: gateway({ schedulers: [scheduler('a')] }) });
  clock.ms += 1500;
  recorder.fleet(gateway({ schedulers: [] }));
  expect(lines()).toEqual([
    { recording: 1, gateway: 'ns/gw', created: '2026-01-01T00:00:00.000Z' },
    { fleet: [{ scheduler: 'ns/a', pods: 1, weights: scheduler('a').weights, maxQueueTime: 30 }], at: 0 },
    { fleet: [], at: 1.5 },
  ]);
});

test('a decision is its sizes, its outcome and where it went', () => {
  const { recorder, lines } = memoryRecorder();
  recorder.picked(0.25, REQUEST, picked());
  expect(lines()[2]).toEqual({
    pick: 1,
    at: 0.25,
    scheduler: 'ns/a',
    promptBytes: 1000,
    maxOutputTokens: 20,
    prefix: expect.any(String),
    outcome: 'picked',
    pod: 'p1',
    matched: 2,
  });
  recorder.picked(0.5, { ...REQUEST, prefixHashes: [] }, { outcome: 'saturated', retryAfterSeconds: 1 });
  expect(lines()[3]).toEqual({
    pick: 2,
    at: 0.5,
    scheduler: 'ns/a',
    promptBytes: 1000,
    maxOutputTokens: 20,
    outcome: 'saturated',
  });
});

test('no name of an adapter or model, no address and no hash is in it', () => {
  const { recorder, texts } = memoryRecorder();
  const request = { ...REQUEST, model: 'secret-model', adapter: 'secret-adapter', prefixHashes: [123456789012345] };
  const pick = recorder.picked(1, request, picked({}, '10.11.12.13:8000'))!;
  recorder.ended(pick, {
    firstToken: undefined,
    predicted: undefined,
    status: 200,
    servedElsewhere: '10.11.12.14:8000',
  });
  expect(texts.join('')).not.toMatch(/secret|10\.1|8000|123456789012345/);
});

test('adapters and pods are numbered by their first appearance', () => {
  const { recorder, lines } = memoryRecorder();
  for (const [adapter, address] of [
    ['x', '10.0.0.5:1'],
    ['y', '10.0.0.6:1'],
    ['x', '10.0.0.5:1'],
  ] as const) {
    recorder.picked(0, { ...REQUEST, adapter }, picked({}, address));
  }
  expect(lines().slice(2)).toMatchObject([
    { adapter: 'a1', pod: 'p1' },
    { adapter: 'a2', pod: 'p2' },
    { adapter: 'a1', pod: 'p1' },
  ]);
});

test('lines that find no room are counted, and the count is told once there is room', () => {
  const { recorder, clock, lines } = memoryRecorder();
  clock.room = false;
  expect(recorder.picked(0, REQUEST, picked())).toBeUndefined();
  expect(recorder.picked(0, REQUEST, picked())).toBeUndefined();
  clock.room = true;
  expect(recorder.picked(0, REQUEST, picked())).toBe(3);
  expect(lines().slice(2)).toMatchObject([{ dropped: 2 }, { pick: 3 }]);
});

test('a file that is full ends with a line that says so, and grows no more', () => {
  const { recorder, clock, texts, lines } = memoryRecorder({ limitBytes: 3000 });
  for (let i = 0; i < 100; i++) recorder.picked(0, REQUEST, picked());
  recorder.stop();
  expect(lines().at(-1)).toEqual({ stopped: 'limit', at: 0 });
  expect(texts.join('').length).toBeLessThanOrEqual(3000);
  expect(clock.full).toBe(1);
});

test('a file without room for a header is left as it is', () => {
  const { recorder, clock, texts } = memoryRecorder({ limitBytes: 300 });
  recorder.fleet(gateway());
  recorder.picked(0, REQUEST, picked());
  recorder.stop();
  expect([texts, clock.full]).toEqual([[], 1]);
});

test('an orderly end is its last line', () => {
  const { recorder, lines } = memoryRecorder();
  recorder.stop();
  recorder.stop();
  recorder.picked(0, REQUEST, picked());
  expect(lines().slice(2)).toEqual([{ stopped: 'closed', at: 0 }]);
});
