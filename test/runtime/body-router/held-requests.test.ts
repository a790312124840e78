import { HeldRequests } from '../../../runtime/body-router/held-requests';
import type { PickResult } from '../../../runtime/endpoint-picker/endpoint-picker';
import { CONTINUE } from '../../../runtime/ext-proc/processor';

function rig() {
  const heard: unknown[] = [];
  const held = new HeldRequests();
  const { promise, resolve, reject } = Promise.withResolvers<PickResult>();
  const told = (what: string) => () => {
    heard.push(what);
    return CONTINUE;
  };
  const wait = () =>
    held.wait(
      { result: promise, cancel: () => heard.push('cancelled') },
      { picked: told('picked'), failed: told('failed'), shutDown: told('shut down') },
    );
  const ticket = { served() {}, firstToken() {}, done: () => heard.push('done') };
  const picked: PickResult = { outcome: 'picked', endpoints: ['10.0.0.1:8000'], ticket };
  return { heard, held, wait, resolve, reject, picked };
}

test('a pick that is made in time is the answer, and a shutdown afterwards changes nothing', async () => {
  const { heard, held, wait, resolve, picked } = rig();
  const answer = wait();
  resolve(picked);
  await answer;
  held.refuseAll();
  expect(heard).toEqual(['picked']);
});

test('a shutdown answers what is held and cancels its pick; one that is made all the same is given back', async () => {
  const { heard, held, wait, resolve, picked } = rig();
  const answer = wait();
  held.refuseAll();
  await answer;
  resolve(picked);
  await new Promise(setImmediate);
  expect(heard).toEqual(['shut down', 'cancelled', 'done']);
});

test('after a shutdown nothing is held', async () => {
  const { heard, held, wait } = rig();
  held.refuseAll();
  await wait();
  expect(heard).toEqual(['shut down', 'cancelled']);
});

test('a picker that fails is told', async () => {
  const { heard, wait, reject } = rig();
  const answer = wait();
  reject(new Error('away'));
  await answer;
  expect(heard).toEqual(['failed']);
});
