import { limitedResolve } from '../../../../runtime/picker-rpc/connect/resolve-host';

test('no more look-ups run at one time than are allowed, in order, also where some fail', async () => {
  const asked: Array<{ host: string; end: (error?: Error) => void }> = [];
  const resolve = limitedResolve(
    (host) =>
      new Promise((answer, reject) =>
        asked.push({ host, end: (error) => (error === undefined ? answer([host]) : reject(error)) }),
      ),
    2,
  );
  const results = ['a', 'b', 'c', 'd'].map((host) => resolve(host).catch((error: Error) => error.message));
  const settle = () => new Promise(setImmediate);
  await settle();
  expect(asked.map(({ host }) => host)).toEqual(['a', 'b']);
  asked[1]!.end(new Error('none'));
  await settle();
  expect(asked.map(({ host }) => host)).toEqual(['a', 'b', 'c']);
  asked[0]!.end();
  asked[2]!.end();
  await settle();
  asked[3]!.end();
  expect(await Promise.all(results)).toEqual([['a'], 'none', ['c'], ['d']]);
});
