import { pino } from 'pino';
import { createStoreWork } from '../../../runtime/controller/store-work';
import { VirtualClock } from '../../support/clocks';

const clock = new VirtualClock();
let end: AbortController;
let messages: string[];

beforeEach(() => {
  end = new AbortController();
  messages = [];
});

function start() {
  const write = (line: string) => void messages.push((JSON.parse(line) as { msg: string }).msg);
  return createStoreWork({ clock, random: () => 0.5, log: pino({}, { write }), signal: end.signal });
}

test('of a gateway one thing is asked at a time, and of many gateways 16', async () => {
  const work = start();
  const begun: string[] = [];
  const answers = new Map<string, () => void>();
  const ask = (owner: string) =>
    work.start(owner, () => {
      begun.push(owner);
      return new Promise((resolve) => answers.set(owner, resolve));
    });
  const owners = Array.from({ length: 17 }, (_, index) => `team/${index + 1}`);

  expect(owners.map(ask)).toEqual(owners.map(() => true));
  expect(owners.map(ask)).toEqual(owners.map(() => false));
  expect(begun).toEqual(owners.slice(0, 16));

  answers.get('team/1')!();
  await clock.advance(0);
  expect(begun).toEqual(owners);
  expect(owners.map(work.isBusy)).toEqual(owners.map((owner) => owner !== 'team/1'));
  expect(ask('team/1')).toBe(true);
});

test('what fails without saying so is logged, and not repeated', async () => {
  const work = start();
  let calls = 0;
  work.start('team/gw', async () => {
    calls += 1;
    throw new Error('a fault');
  });

  await clock.advance(3_600_000);

  expect([calls, messages]).toEqual([1, ['a fault']]);
  expect(work.isBusy('team/gw')).toBe(false);
});

test('it ends when what is under way has ended, and begins nothing more', async () => {
  const work = start();
  let isOver = false;
  void work.done.then(() => {
    isOver = true;
  });
  const last = Promise.withResolvers<void>();
  let begun = 0;
  work.start('team/gw', () => {
    begun += 1;
    return last.promise;
  });
  end.abort();
  work.start('team/other', async () => {
    begun += 1;
  });
  await clock.advance(1_000);
  expect(isOver).toBe(false);

  last.resolve();
  await clock.advance(1_000);
  expect([isOver, begun]).toEqual([true, 1]);
});
