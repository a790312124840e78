import { pino } from 'pino';
import { waitForCrds } from '../../../../runtime/controller/crds/wait-for-crds';
import { manualClock } from '../support/manual-clock';
import { shippedCrd } from './support/definitions';

const used = [
  shippedCrd('gateway-api', 'v1.6.1', { name: 'things.example.com' }),
  shippedCrd('gateway-api', 'v1.6.1', { name: 'others.example.com' }),
];
const { use: _, ...unused } = shippedCrd('gateway-api', 'v1.6.1', { name: 'rare.example.com' });

/** Serves from second to second what is listed; the last goes on. */
function wait(
  shipped: typeof used,
  served: readonly (readonly string[] | Error)[],
  signal = new AbortController().signal,
) {
  const clock = manualClock();
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).msg) });
  const answers = {
    of: async () => {
      const now = served[Math.min(Math.floor(clock.now() / 1000), served.length - 1)]!;
      if (now instanceof Error) throw now;
      return new Set(now);
    },
  };
  return { clock, lines, done: waitForCrds(shipped, { served: answers, clock, log, signal }) };
}

test('it waits until all are served', async () => {
  const { clock, done } = wait(used, [[], ['things'], ['things', 'others']]);
  await done;
  expect(clock.now()).toBe(2_000);
});

test('an API server that cannot be asked is asked again', async () => {
  const { clock, lines, done } = wait(used, [new Error('connection refused'), ['things', 'others']]);
  await done;
  expect(clock.now()).toBe(1_000);
  expect(lines).toContain('the API server could not be asked: connection refused');
});

test('one that stays away is told of at once and each ten seconds, however many groups are asked for', async () => {
  const away = Array.from({ length: 25 }, () => new Error('connection refused'));
  const more = shippedCrd('envoy-gateway', 'v1.9.1', { name: 'more.example.org' });
  const { definition } = more;
  const third = { ...more, definition: { ...definition, spec: { ...definition.spec, group: 'example.org' } } };
  const { lines, done } = wait([...used, third], [...away, ['things', 'others', 'more']]);
  await done;
  expect(lines).toEqual(Array.from({ length: 3 }, () => 'the API server could not be asked: connection refused'));
});

test('what is missing is said each ten seconds', async () => {
  const { lines, done } = wait(used, [...Array.from({ length: 25 }, () => ['things']), ['things', 'others']]);
  await done;
  expect(lines).toHaveLength(2);
});

test('one that nothing uses is not waited for long', async () => {
  const { clock, done } = wait([...used, unused as (typeof used)[0]], [['things', 'others']]);
  await done;
  expect(clock.now()).toBe(5_000);
});

test('it ends with its signal', async () => {
  await expect(wait(used, [[]], AbortSignal.abort(new Error('over'))).done).rejects.toThrow('over');
});
