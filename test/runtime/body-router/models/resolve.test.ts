import type { RewriteState } from '../../../../lib/translate/gateway-state';
import { resolveModel } from '../../../../runtime/body-router/models/resolve';
import { compileRouting } from '../../../../runtime/body-router/models/routing';
import { seededRandom } from '../../../../runtime/simulator/engine/seeded-random';
import { gateway, scheduler } from '../fixtures';

const rewrite = (
  name: string,
  to: string | Array<[string, number]>,
  overrides: Partial<RewriteState> = {},
): RewriteState => ({
  name: `ns/${name}`,
  scheduler: 'ns/a',
  models: [],
  targets: (typeof to === 'string' ? [[to, 1] as const] : to).map(([model, weight]) => ({ model, weight })),
  ...overrides,
});
const resolve = (state: Parameters<typeof gateway>[0], model: string, draw = 0) =>
  resolveModel(compileRouting(gateway(state)), model, () => draw);

test('a base model is served by its scheduler, an adapter by that of its base', () => {
  const schedulers = [scheduler('a', { adapters: ['sql'] }), scheduler('b')];
  expect(resolve({ schedulers }, 'b-model')?.route).toMatchObject({
    scheduler: 'ns/b',
    model: 'b-model',
    baseModel: 'b-model',
  });
  expect(resolve({ schedulers }, 'sql')?.route).toMatchObject({
    scheduler: 'ns/a',
    baseModel: 'a-model',
    adapter: 'sql',
  });
  expect(resolve({ schedulers }, 'nobody')).toBeUndefined();
});

test.each(['__proto__', 'constructor', 'toString'])(
  'a model may be named %s, and is unknown where nobody has it',
  (name) => {
    const adapters = [name];
    expect(resolve({ schedulers: [scheduler('a', { adapters })] }, name)?.route).toMatchObject({ adapter: name });
    expect(resolve({}, name)).toBeUndefined();
  },
);

test('a name that is a base model of one scheduler and an adapter of another is the base model', () => {
  const schedulers = [scheduler('a', { adapters: ['b-model'] }), scheduler('b')];
  expect(resolve({ schedulers }, 'b-model')?.route.scheduler).toBe('ns/b');
});

test('a scheduler without a model takes every model, under the name it was asked for', () => {
  const open: Parameters<typeof gateway>[0] = {
    bodyRouting: false,
    schedulers: [{ ...withoutModel(), adapters: ['sql'] }],
  };
  expect(resolve(open, 'any')?.route).toEqual({ scheduler: 'ns/a', namespace: 'ns', model: 'any', known: false });
  expect(resolve(open, 'sql')?.route).toMatchObject({ adapter: 'sql', known: true });
});

function withoutModel() {
  const { modelName: _, ...rest } = scheduler('a');
  return rest;
}

test('weights decide: 95 to 5 over 10,000 requests', () => {
  const routing = compileRouting(
    gateway({
      rewrites: [
        rewrite('canary', [
          ['v1', 95],
          ['v2', 5],
        ]),
      ],
    }),
  );
  const random = seededRandom(7);
  let canary = 0;
  for (let i = 0; i < 10_000; i++) if (resolveModel(routing, 'a-model', random)?.route.model === 'v2') canary++;
  expect(canary).toBeGreaterThan(430);
  expect(canary).toBeLessThan(570);
});

test('the target is chosen by where the draw falls in the sum of weights', () => {
  const rewrites = [
    rewrite('r', [
      ['v1', 3],
      ['v2', 1],
    ]),
  ];
  expect([0, 0.74, 0.75, 0.999999].map((draw) => resolve({ rewrites }, 'a-model', draw)?.route.model)).toEqual([
    'v1',
    'v1',
    'v2',
    'v2',
  ]);
});

test('an exact rule goes before an older generic one, and of equals the first counts', () => {
  const rewrites = [
    rewrite('generic', 'g'),
    rewrite('second-generic', 'g2'),
    rewrite('exact', 'e', { models: ['x', 'a-model'] }),
    rewrite('second-exact', 'e2', { models: ['a-model'] }),
  ];
  expect(resolve({ rewrites }, 'a-model')).toMatchObject({ rewrite: 'ns/exact', route: { model: 'e' } });
  expect(resolve({ rewrites, schedulers: [scheduler('a', { adapters: ['sql'] })] }, 'sql')).toMatchObject({
    rewrite: 'ns/generic',
    route: { model: 'g' },
  });
});

test('a generic rule does not match the models of other schedulers, nor unknown names', () => {
  const rewrites = [rewrite('generic', 'g')];
  expect(resolve({ rewrites }, 'b-model')).toMatchObject({ route: { model: 'b-model' } });
  expect(resolve({ rewrites }, 'nobody')).toBeUndefined();
});

test('an exact rule makes an alias of a name that no scheduler serves', () => {
  const rewrites = [rewrite('alias', 'a-model', { models: ['gpt-4'] })];
  expect(resolve({ rewrites }, 'gpt-4')).toMatchObject({ route: { scheduler: 'ns/a', model: 'a-model', known: true } });
});

test('an exact rule cannot take the model of another scheduler', () => {
  const rewrites = [rewrite('theft', 'a-model', { models: ['b-model'] })];
  expect(resolve({ rewrites }, 'b-model')).toEqual({ route: expect.objectContaining({ scheduler: 'ns/b' }) });
});

test('a target that another scheduler of the namespace serves is served there', () => {
  const schedulers = [scheduler('a'), scheduler('b', { adapters: ['tuned'] })];
  const route = resolve({ schedulers, rewrites: [rewrite('canary', 'tuned')] }, 'a-model')?.route;
  expect(route).toMatchObject({ scheduler: 'ns/b', model: 'tuned', adapter: 'tuned', baseModel: 'b-model' });
});

test('a target that only another namespace serves stays with the scheduler of the rule', () => {
  const schedulers = [scheduler('a'), scheduler('b', { namespace: 'other' })];
  const route = resolve({ schedulers, rewrites: [rewrite('canary', 'b-model')] }, 'a-model')?.route;
  expect(route).toMatchObject({ scheduler: 'ns/a', model: 'b-model', baseModel: 'a-model' });
});

test('a rewrite is applied once', () => {
  const rewrites = [rewrite('one', 'b-model', { models: ['a-model'] }), rewrite('two', 'x', { scheduler: 'ns/b' })];
  expect(resolve({ rewrites }, 'a-model')?.route.model).toBe('b-model');
});

test('a rule of a scheduler that does not exist is left out', () => {
  expect(resolve({ rewrites: [rewrite('r', 'v', { scheduler: 'ns/gone', models: ['a-model'] })] }, 'a-model')).toEqual({
    route: expect.objectContaining({ model: 'a-model' }),
  });
});
