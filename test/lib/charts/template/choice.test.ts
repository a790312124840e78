import { App, Chart } from 'cdk8s';
import {
  choose,
  concatenated,
  conditionalScope,
  conditionalValue,
  conditionsOf,
  itemsOf,
  joinedByComma,
  merged,
  unlessEmpty,
  when,
} from '../../../../lib/charts/template/choice';
import { expressionIn, stringExpression, valueExpression } from '../../../../lib/charts/template/expression';

const text = stringExpression('.Values.text');
const flag = valueExpression<boolean>('.Values.flag');
const list = valueExpression<string[]>('.Values.list');
const map = valueExpression<Record<string, string>>('.Values.map');

describe('values that are known', () => {
  test.each([false, '', 0, [], {}, undefined])('%j leaves the field out', (value) => {
    expect(when(value, 'there')).toBeUndefined();
  });

  test.each([true, 'a', 1, ['a'], { a: 1 }])('%j has the field', (value) => {
    expect(when(value, 'there')).toBe('there');
  });

  test('choices are made at once', () => {
    expect(unlessEmpty({})).toBeUndefined();
    expect(itemsOf('a', when(false, 'b'), when('x', 'c'))).toEqual(['a', 'c']);
    expect(choose('', 'chosen', 'otherwise')).toBe('otherwise');
    expect(merged({ a: 'first' }, { a: 'second', b: 'second' })).toEqual({ a: 'first', b: 'second' });
    expect(concatenated(['a'], ['b'])).toEqual(['a', 'b']);
    expect(joinedByComma(['a', 'b'])).toBe('a,b');
  });

  test('an object that is not wanted has no scope', () => {
    const chart = new Chart(new App(), 'test');

    expect(conditionalScope(chart, 'off', false)).toBeUndefined();
    expect(conditionsOf(conditionalScope(chart, 'on', true)!)).toEqual([]);
  });
});

describe('values that are not known', () => {
  test('choices are left to Helm', () => {
    expect(conditionalValue(when(flag, 'there'))).toEqual({ test: '.Values.flag', value: 'there' });
    expect(expressionIn(choose(flag, 'a', text))).toBe('(ternary "a" .Values.text (not (empty .Values.flag)))');
    expect(expressionIn(choose(text, text, 'b'))).toBe('(default "b" .Values.text)');
    expect(expressionIn(merged({ a: 'x' }, map))).toBe('(merge (dict) (dict "a" "x") .Values.map)');
    expect(expressionIn(merged(map, { a: 'x' }))).toBe('(merge (dict) .Values.map (dict "a" "x"))');
    expect(expressionIn(concatenated(['a'], list))).toBe('(concat (list "a") .Values.list)');
    expect(expressionIn(joinedByComma(list))).toBe('(join "," .Values.list)');
  });

  test('an object knows all conditions that it is there under', () => {
    const chart = new Chart(new App(), 'test');
    const outer = conditionalScope(chart, 'outer', flag)!;
    const inner = conditionalScope(outer, 'inner', text)!;

    expect(conditionsOf(inner)).toEqual(['.Values.flag', '.Values.text']);
  });
});
