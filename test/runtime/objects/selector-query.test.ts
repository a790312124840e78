import { selectorQuery } from '../../../runtime/objects/selector-query';

test('every kind of requirement is asked for as the Kubernetes API has it', () => {
  expect(
    selectorQuery({
      matchLabels: { app: 'llama', 'example.com/tier': '' },
      matchExpressions: [
        { key: 'zone', operator: 'In', values: ['b', 'a'] },
        { key: 'canary', operator: 'NotIn', values: ['true'] },
        { key: 'gpu', operator: 'Exists' },
        { key: 'old', operator: 'DoesNotExist' },
      ],
    }),
  ).toBe('!old,app=llama,canary notin (true),example.com/tier=,gpu,zone in (a,b)');
});

test('the same requirements in another order are the same text', () => {
  const one = selectorQuery({ matchLabels: { a: '1', b: '2' } });
  expect(selectorQuery({ matchLabels: { b: '2', a: '1' } })).toBe(one);
});
