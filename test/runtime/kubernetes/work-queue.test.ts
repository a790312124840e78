import fc from 'fast-check';
import { ApiError } from '../../../runtime/kubernetes/api-error';
import { createWorkQueue, type WorkQueue, type WorkQueueOptions } from '../../../runtime/kubernetes/work-queue';
import { VirtualClock } from '../../support/clocks';

let clock: VirtualClock;
let stop: AbortController;
let worked: string[];
let faults: [string, number][];

beforeEach(() => {
  clock = new VirtualClock();
  stop = new AbortController();
  worked = [];
  faults = [];
});

function create(work: (key: string) => Promise<void>, options: Partial<WorkQueueOptions> = {}): WorkQueue {
  return createWorkQueue({
    work: (key) => {
      worked.push(`${key}@${clock.now()}`);
      return work(key);
    },
    clock,
    random: () => 0,
    onFault: (key, _error, retryMs) => faults.push([key, retryMs]),
    signal: stop.signal,
    ...options,
  });
}

const nothing = () => Promise.resolve();
const takes = (ms: number) => () => clock.sleep(ms);
const fails = () => Promise.reject(new Error('broken'));

test('a key that is added many times before its turn has one turn', async () => {
  const queue = create(takes(10), { concurrency: 1 });
  for (const key of ['a', 'b', 'a', 'b', 'b']) queue.add(key);
  expect(queue.depth()).toBe(2);
  await clock.advance(100);

  expect(worked).toEqual(['a@0', 'b@10', 'a@20']);
});

test('one that is added while it is worked on is worked on once more, afterwards', async () => {
  const queue = create(takes(10));
  queue.add('a');
  await clock.advance(5);
  queue.add('a');
  queue.add('a');
  await clock.advance(100);

  expect(worked).toEqual(['a@0', 'a@10']);
});

test('as many keys at the same time as allowed', async () => {
  const queue = create(takes(10), { concurrency: 2 });
  for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key);
  await clock.advance(100);

  expect(worked).toEqual(['a@0', 'b@0', 'c@10', 'd@10', 'e@20']);
});

test('later, and the earliest of several times counts', async () => {
  const queue = create(nothing);
  queue.addAfter('a', 500);
  queue.addAfter('a', 200);
  queue.addAfter('a', 900);
  await clock.advance(5_000);

  expect(worked).toEqual(['a@200']);
});

test('at once, whatever it waits for', async () => {
  const queue = create(nothing);
  queue.addAfter('a', 500);
  await clock.advance(100);
  queue.add('a');
  await clock.advance(5_000);

  expect(worked).toEqual(['a@100']);
});

test('failures of one key are tried again after delays that double up to a minute, and others are not held up', async () => {
  const queue = create((key) => (key === 'bad' ? fails() : nothing()));
  queue.add('bad');
  await clock.advance(100);
  queue.add('good');
  await clock.advance(300_000);

  expect(faults.map(([, ms]) => ms).slice(0, 9)).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ]);
  expect(worked).toContain('good@100');
});

test('a success forgets the failures', async () => {
  let failing = true;
  const queue = create(() => (failing ? fails() : nothing()));
  queue.add('a');
  await clock.advance(10_000);
  failing = false;
  await clock.advance(60_000);
  failing = true;
  faults = [];
  queue.add('a');
  await clock.advance(600);

  expect(faults[0]).toEqual(['a', 500]);
});

test('what the API server asks to wait is waited', async () => {
  const busy = new ApiError({ code: 429, reason: 'TooManyRequests', message: '', request: '', retryAfterMs: 7_000 });
  const queue = create(() => Promise.reject(busy));
  queue.add('a');
  await clock.advance(10_000);

  expect(worked).toEqual(['a@0', 'a@7000']);
});

test('a key that is forgotten is not worked on', async () => {
  const queue = create(takes(10), { concurrency: 1 });
  queue.add('a');
  queue.add('b');
  queue.addAfter('c', 50);
  queue.forget('b');
  queue.forget('c');
  await clock.advance(1_000);

  expect(worked).toEqual(['a@0']);
});

test('ends with its signal, when the work under way has ended', async () => {
  const queue = create(takes(10), { concurrency: 1 });
  let ended = false;
  void queue.done.then(() => {
    ended = true;
  });
  for (const key of ['a', 'b']) queue.add(key);
  queue.addAfter('c', 1);
  stop.abort();
  await clock.advance(5);
  expect(ended).toBe(false);
  queue.add('d');
  await clock.advance(100);

  expect(ended).toBe(true);
  expect(worked).toEqual(['a@0']);
});

test('no key is worked on twice at a time, no more than allowed are, and every key that was added has its turn', async () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), key }),
    fc.record({ kind: fc.constant('after' as const), key, ms: fc.nat(2_000) }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(500) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.array(fc.boolean()), async (steps, outcomes) => {
      clock = new VirtualClock();
      const running = new Set<string>();
      let crowded = false;
      const startedAt = new Map<string, number>();
      const addedAt = new Map<string, number>();
      let turn = 0;
      const queue = create(
        async (one) => {
          crowded ||= running.has(one) || running.size >= 2;
          running.add(one);
          startedAt.set(one, clock.now());
          await clock.sleep(100);
          running.delete(one);
          if (outcomes[turn++] === false) throw new Error('planned');
        },
        { concurrency: 2 },
      );
      for (const one of steps) {
        if (one.kind === 'wait') await clock.advance(one.ms);
        else {
          addedAt.set(one.key, clock.now());
          if (one.kind === 'add') queue.add(one.key);
          else queue.addAfter(one.key, one.ms);
        }
      }
      await clock.advance(200_000);
      for (const [one, at] of addedAt) expect(startedAt.get(one)).toBeGreaterThanOrEqual(at);
      expect(queue.depth()).toBe(0);
      expect(crowded).toBe(false);
    }),
    { numRuns: 100 },
  );
});
