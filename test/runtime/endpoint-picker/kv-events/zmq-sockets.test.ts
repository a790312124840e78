import { createPrecisePrefix } from '../../../../runtime/endpoint-picker/kv-events/precise-prefix';

jest.mock('zeromq', () => {
  throw new Error('no such package');
});

test('where ZeroMQ cannot be loaded the log says what to do, and no pick waits for tokens that help nobody', async () => {
  const warnings: { readonly fields: object; readonly message: string }[] = [];
  const warned = Promise.withResolvers<void>();
  const precise = createPrecisePrefix({
    clock: () => performance.now(),
    random: () => 0.5,
    observe: { kvEvents: () => undefined, tokenized: () => undefined },
    log: {
      info: () => undefined,
      warn(fields, message) {
        warnings.push({ fields, message });
        warned.resolve();
      },
    },
  });
  precise.join({
    id: 0,
    address: '127.0.0.1:8000',
    pod: 'default/a',
    scheduler: 'default/base',
    baseModel: 'base',
    kvEventsPort: 5557,
    kvReplayPort: undefined,
    ready: () => true,
  });
  await warned.promise;
  expect(warnings).toEqual([
    {
      message: 'KV events of the pod cannot be followed',
      fields: expect.objectContaining({
        pod: 'default/a',
        err: expect.objectContaining({ message: expect.stringMatching(/zeromq cannot be loaded: install it/) }),
      }),
    },
  ]);
  expect(precise.covers('default/base')).toBe(false);
  await precise.close();
});
