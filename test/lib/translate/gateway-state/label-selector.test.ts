import { type LabelSelector, selects } from '../../../../lib/translate/gateway-state/label-selector';

const labels = { app: 'm', tier: 'gold' };
const expression = (key: string, operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', values?: string[]) => ({
  matchExpressions: [{ key, operator, ...(values && { values }) }],
});

describe('selects', () => {
  const CASES: ReadonlyArray<[LabelSelector, boolean]> = [
    [{}, true],
    [{ matchLabels: { app: 'm' } }, true],
    [{ matchLabels: { app: 'm', tier: 'silver' } }, false],
    [{ matchLabels: { toString: 'x' } }, false],
    [expression('app', 'In', ['l', 'm']), true],
    [expression('app', 'In', ['l']), false],
    [expression('zone', 'In', ['l']), false],
    [expression('app', 'NotIn', ['m']), false],
    [expression('zone', 'NotIn', ['m']), true],
    [expression('tier', 'Exists'), true],
    [expression('toString', 'Exists'), false],
    [expression('tier', 'DoesNotExist'), false],
    [expression('zone', 'DoesNotExist'), true],
    [{ matchLabels: { app: 'm' }, ...expression('tier', 'DoesNotExist') }, false],
  ];
  it.each(CASES)('%j: %s', (selector, expected) => {
    expect(selects(selector, labels)).toBe(expected);
  });
});
