import { compileRouting } from '../../../runtime/body-router/models/routing';
import { poolRoute } from '../../../runtime/gie-picker/pool-route';
import { gateway, scheduler } from '../body-router/fixtures';

const rewrite = (targets: readonly string[], models: readonly string[] = ['alias']) => ({
  name: 'ns/rule',
  scheduler: 'ns/a',
  models,
  targets: targets.map((model) => ({ model, weight: 1 })),
});
const routing = compileRouting(
  gateway({
    schedulers: [scheduler('a', { adapters: ['listed'] }), scheduler('b')],
    rewrites: [rewrite(['listed', 'b-model'])],
  }),
);
const route = (model: string | undefined, random = 0, scheduler = 'ns/a') =>
  poolRoute(routing, scheduler, model, () => random);

test('the pool serves its model, a listed adapter, and any other name as an adapter', () => {
  expect(route('a-model')).toMatchObject({ route: { model: 'a-model', known: true } });
  expect(route('a-model')!.route).not.toHaveProperty('adapter');
  expect(route('listed')!.route).toMatchObject({ adapter: 'listed', known: true });
  expect(route('other')!.route).toMatchObject({ scheduler: 'ns/a', adapter: 'other', known: false });
});

test('a request without a model is for the base model', () => {
  expect(route(undefined)!.route).toMatchObject({ scheduler: 'ns/a', model: 'a-model', known: true });
});

test('a rewrite never leaves the pool, though its target is the model of another', () => {
  expect(route('alias', 0)).toMatchObject({ route: { model: 'listed', adapter: 'listed' }, rewrite: 'ns/rule' });
  expect(route('alias', 0.9)).toMatchObject({ route: { scheduler: 'ns/a', model: 'b-model' }, rewrite: 'ns/rule' });
});

test('a rule of another pool is not applied, and a pool that is not there has no route', () => {
  expect(route('alias', 0, 'ns/b')).toMatchObject({ route: { scheduler: 'ns/b', model: 'alias' } });
  expect(route('alias', 0, 'ns/b')).not.toHaveProperty('rewrite');
  expect(route('a-model', 0, 'ns/c')).toBeUndefined();
});
