import { pino } from 'pino';
import { createCertificateRemoval, type Removed } from '../../../runtime/controller/certificate-removal';
import { createStoreWork } from '../../../runtime/controller/store-work';
import { VirtualClock } from '../../support/clocks';

const { signal } = new AbortController();

function start() {
  const clock = new VirtualClock();
  const state = {
    deleted: [] as string[],
    delete: (): Promise<void> => Promise.resolve(),
    mayHave: true,
    isStillGoing: true,
  };
  const storeWork = createStoreWork({ clock, random: () => 0.5, log: pino({ level: 'silent' }), signal });
  const removal = createCertificateRemoval({
    certificates: {
      deleteImported: async (arn) => {
        await state.delete();
        state.deleted.push(arn);
      },
    },
    storeWork,
    clock,
  });
  const removed = (id: string): Removed => ({
    owner: 'team/gw',
    id,
    mayHave: async () => state.mayHave,
    isStillGoing: async () => state.isStillGoing,
    arn: async () => `arn-${id}`,
  });
  /** Undefined: it is done; else why not. */
  async function remove(id = '1'): Promise<string | undefined> {
    const result = removal.remove(removed(id), signal).then(
      () => undefined,
      (error: Error) => error.message,
    );
    await clock.advance(1_000);
    return await result;
  }
  return { clock, state, storeWork, removal, remove };
}

const WAITS = 'waits until ACM has answered what becomes of the imported certificate';

test('what is answered soon is done at once, and not again', async () => {
  const { state, remove } = start();
  expect(await remove()).toBeUndefined();
  expect(await remove()).toBeUndefined();
  expect(state.deleted).toEqual(['arn-1']);
});

test('what was to be removed before, and is not any more, keeps its certificate', async () => {
  const { state, remove } = start();
  state.isStillGoing = false;
  expect(await remove()).toBe('the gateway has changed since it was to be removed');
  expect(state.deleted).toEqual([]);
});

test('what takes long is waited for between the turns, and what was said last is said until then', async () => {
  const { clock, state, remove } = start();
  state.delete = () => clock.sleep(60_000);
  expect(await remove()).toBe(WAITS);
  expect(await remove()).toBe(WAITS);
  await clock.advance(60_000);
  expect(await remove()).toBeUndefined();
  expect(state.deleted).toEqual(['arn-1']);
});

test('what cannot be deleted is tried again, and why is said all along', async () => {
  const { clock, state, remove } = start();
  const why = 'the imported certificate arn-1 cannot be deleted yet: it is in use';
  state.delete = () => Promise.reject(new Error('it is in use'));
  expect(await remove()).toBe(why);
  state.delete = () => clock.sleep(60_000);
  expect(await remove()).toBe(why);
  await clock.advance(60_000);
  expect(await remove()).toBeUndefined();
});

test('of another gateway of the name nothing is known', async () => {
  const { state, removal, remove } = start();
  await remove('1');
  await remove('2');
  removal.forget('team/gw');
  await remove('2');
  expect(state.deleted).toEqual(['arn-1', 'arn-2', 'arn-2']);
});

test('the store is not asked of a gateway that has none, but what it is asked already is waited for', async () => {
  const { clock, state, storeWork, remove } = start();
  state.mayHave = false;
  expect(await remove()).toBeUndefined();
  storeWork.start('team/gw', () => clock.sleep(60_000));
  expect(await remove()).toBe(WAITS);
  await clock.advance(60_000);
  expect(await remove()).toBeUndefined();
  expect(state.deleted).toEqual([]);
});
