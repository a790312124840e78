import {
  type AddressFollower,
  type FollowAddressOptions,
  followAddress,
  type Place,
} from '../../../../runtime/picker-rpc/connect/address-follower';

let follower: AddressFollower | undefined;
let told: string[][];
let faults: string[];
let looks: number;
beforeEach(() => {
  jest.useFakeTimers();
  [told, faults, looks] = [[], [], 0];
});
afterEach(() => {
  follower?.close();
  jest.useRealTimers();
});

const keys = (places: readonly Place[]) => places.map(({ key }) => key);

/** Follows the name `pickers`; `addresses` are what it has at a look, or why it has none. */
function follow(addresses: () => readonly string[] | string, isUrgent: () => boolean = () => false, host = 'pickers') {
  const options: FollowAddressOptions = {
    resolve: async () => {
      looks++;
      const found = addresses();
      if (typeof found === 'string') throw new Error(found);
      return found;
    },
    isUrgent,
    onPlaces: (places) => told.push(keys(places)),
    onFault: (reason) => faults.push(reason),
  };
  follower = followAddress({ host, port: 9 }, options);
  return follower.first;
}

test('an IP address and a socket are places at once, and nothing is looked up', () => {
  const places: Array<readonly Place[]> = [];
  for (const address of [{ host: '::1', port: 9 }, { host: '10.0.0.1', port: 9 }, { path: '/run/p.sock' }]) {
    followAddress(address, {
      resolve: () => Promise.reject(new Error('not to be looked up')),
      isUrgent: () => true,
      onPlaces: (some) => places.push(some),
      onFault: (reason) => faults.push(reason),
    }).close();
  }
  expect(places.flatMap(keys)).toEqual(['[::1]:9', '10.0.0.1:9', 'unix:/run/p.sock']);
  expect(faults).toEqual([]);
});

test('a name is every address that it has, looked up again every 5 s', async () => {
  let addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.1'];
  await follow(() => addresses);
  expect(told).toEqual([['10.0.0.1:9', '10.0.0.2:9']]);

  addresses = ['10.0.0.3'];
  await jest.advanceTimersByTimeAsync(5_000);
  expect(told.at(-1)).toEqual(['10.0.0.3:9']);
});

test('certificates are checked for the name, without the dot that ends it', async () => {
  const names: unknown[] = [];
  follower = followAddress(
    { host: 'pickers.default.svc.cluster.local.', port: 9 },
    {
      resolve: async () => ['10.0.0.1'],
      isUrgent: () => false,
      onPlaces: (places) => names.push(...places.map(({ serverName }) => serverName)),
      onFault: (reason) => faults.push(reason),
    },
  );
  await follower.first;
  expect(names).toEqual(['pickers.default.svc.cluster.local']);
});

test('while a name cannot be looked up its last addresses hold, and each reason is told once until it is found', async () => {
  const answers: Array<readonly string[] | string> = [
    ['10.0.0.1'],
    'no server',
    'no server',
    ['10.0.0.1'],
    'no server',
  ];
  await follow(() => answers.shift() ?? 'no more');
  await jest.advanceTimersByTimeAsync(20_000);
  expect(told).toEqual([['10.0.0.1:9'], ['10.0.0.1:9']]);
  expect(faults).toEqual(['no server', 'no server']);
});

test('a name that has no address yet is looked up soon, with ever longer waits, and told of once', async () => {
  let addresses: readonly string[] | string = 'ENOTFOUND';
  await follow(
    () => addresses,
    () => told.length === 0,
  );
  await jest.advanceTimersByTimeAsync(10_000);
  // After 0, 250, 750, 1750, 3750, 5750, 7750 and 9750 ms.
  expect([looks, faults]).toEqual([8, ['ENOTFOUND']]);

  addresses = ['10.0.0.1'];
  await jest.advanceTimersByTimeAsync(2_000);
  expect(told).toEqual([['10.0.0.1:9']]);
  const before = looks;
  await jest.advanceTimersByTimeAsync(4_000);
  expect(looks).toBe(before);
});

test('one that is hurried looks within a quarter of a second, however often it is', async () => {
  await follow(() => ['10.0.0.1']);
  for (let index = 0; index < 100; index++) {
    follower!.hurry();
    await jest.advanceTimersByTimeAsync(50);
  }
  expect(looks).toBe(21);
});
