import { at, config, ofKind, scheduler, translate } from '../support';

const pool = (modelSelector: object) => {
  const translation = translate(config([scheduler('llama', { modelSelector })]));
  return { pools: ofKind(translation, 'InferencePool'), reasons: translation.problems.map(({ reason }) => reason) };
};

test('it has the labels of the selector, and those that an expression says as well', () => {
  const { pools, reasons } = pool({
    matchLabels: { app: 'llama' },
    matchExpressions: [{ key: 'tier', operator: 'In', values: ['prod'] }],
  });
  expect(at(pools[0], 'spec', 'selector')).toEqual({ matchLabels: { app: 'llama', tier: 'prod' } });
  expect(reasons).not.toContain('PoolNotExpressible');
});

test.each([
  ['several values', { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] }],
  ['another operator', { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'canary', operator: 'DoesNotExist' }] }],
  [
    'an expression that contradicts a label',
    { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'app', operator: 'In', values: ['b'] }] },
  ],
])('for %s there is none, which is said', (_, selector) => {
  const { pools, reasons } = pool(selector);
  expect(pools).toEqual([]);
  expect(reasons).toContain('PoolNotExpressible');
});
