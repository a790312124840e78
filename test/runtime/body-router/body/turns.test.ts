import { createTurns, type Sliced } from '../../../../runtime/body-router/body/turns';

function* counting(name: string, slices: number, log: string[]): Sliced<string> {
  for (let i = 0; i < slices; i++) {
    log.push(`${name}${i}`);
    yield;
  }
  return name;
}

test('does one slice of all bodies a turn, and a short body is not behind a long one', async () => {
  const log: string[] = [];
  const turns = createTurns(async () => {
    log.push('-');
    await new Promise(setImmediate);
  });
  const order: string[] = [];
  const run = async (name: string, slices: number) => {
    order.push((await turns.run(counting(name, slices, log), () => true))!);
  };
  await Promise.all([run('a', 4), run('b', 1)]);
  expect(log.join('')).toMatch(/^(?:[ab]\d-|-)+$/);
  expect(order).toEqual(['b', 'a']);
});

test('a body that fails does not stop the others', async () => {
  const turns = createTurns(() => new Promise(setImmediate));
  // biome-ignore lint/correctness/useYield: it fails before it would stop
  function* failing(): Sliced<string> {
    throw new Error('broken');
  }
  const results = await Promise.allSettled([
    turns.run(failing(), () => true),
    turns.run(counting('a', 2, []), () => true),
  ]);
  expect(results).toMatchObject([{ reason: { message: 'broken' } }, { value: 'a' }]);
});

test('a body that is wanted no more is not read on, and its work resolves to nothing', async () => {
  const turns = createTurns(() => new Promise(setImmediate));
  const log: string[] = [];
  const result = await turns.run(counting('a', 100, log), () => log.length < 3);
  expect([result, log.length]).toEqual([undefined, 3]);
});
