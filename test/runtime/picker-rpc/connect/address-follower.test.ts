import {
  type AddressFollower,
  followAddress,
  type Place,
} from '../../../../runtime/picker-rpc/connect/address-follower';

let follower: AddressFollower | undefined;
beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  follower?.close();
  jest.useRealTimers();
});

const keys = (places: readonly Place[] | undefined) => places?.map(({ key }) => key);
const none = () => Promise.reject(new Error('not to be looked up'));

test('an IP address and a socket are places at once, and nothing is looked up', () => {
  const told: Array<readonly Place[]> = [];
  for (const address of [{ host: '::1', port: 9 }, { host: '10.0.0.1', port: 9 }, { path: '/run/p.sock' }]) {
    followAddress(address, none, (places) => told.push(places), fail).close();
  }
  expect(told.flatMap(keys)).toEqual(['[::1]:9', '10.0.0.1:9', 'unix:/run/p.sock']);
});

test('a name is every address that it has, looked up again every 5 s, with the name for certificates', async () => {
  let addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.1'];
  let places: readonly Place[] | undefined;
  follower = followAddress(
    { host: 'pickers', port: 9 },
    async () => addresses,
    (now) => (places = now),
    fail,
  );
  await follower.first;
  expect(keys(places)).toEqual(['10.0.0.1:9', '10.0.0.2:9']);
  expect(places!.map(({ serverName }) => serverName)).toEqual(['pickers', 'pickers']);

  addresses = ['10.0.0.3'];
  await jest.advanceTimersByTimeAsync(5_000);
  expect(keys(places)).toEqual(['10.0.0.3:9']);
});

test('while a name cannot be looked up its last addresses hold', async () => {
  let works = true;
  const faults: string[] = [];
  let places: readonly Place[] | undefined;
  const resolve = async () => {
    if (!works) throw new Error('no server');
    return ['10.0.0.1'];
  };
  follower = followAddress(
    { host: 'pickers', port: 9 },
    resolve,
    (now) => (places = now),
    (why) => faults.push(why),
  );
  await follower.first;
  works = false;
  await jest.advanceTimersByTimeAsync(10_000);
  expect([keys(places), faults]).toEqual([['10.0.0.1:9'], ['no server', 'no server']]);
});

function fail(reason: string): never {
  throw new Error(reason);
}
