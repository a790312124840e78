import { createModelNames } from '../../../runtime/explain/model-names';
import { gateway, scheduler } from '../body-router/fixtures';

const rewrite = { name: 'ns/r', scheduler: 'ns/a', models: [], targets: [{ model: 'target', weight: 1 }] };

test('names base models, adapters and targets of rewrites, and nothing else', () => {
  const state = gateway({ schedulers: [{ ...scheduler('a'), adapters: ['tuned'] }], rewrites: [rewrite] });
  const name = createModelNames(() => state);
  expect(['a-model', 'tuned', 'target', 'secret\ninput', ''].map(name)).toEqual([
    'a-model',
    'tuned',
    'target',
    'other',
    'other',
  ]);
});

test('follows the configuration', () => {
  let state = gateway({ schedulers: [] });
  const name = createModelNames(() => state);
  expect(name('a-model')).toBe('other');
  state = gateway({ schedulers: [scheduler('a')] });
  expect(name('a-model')).toBe('a-model');
});
