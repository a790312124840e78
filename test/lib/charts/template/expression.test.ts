import fc from 'fast-check';
import {
  asExpression,
  expressionIn,
  replaceQuotedExpressions,
  stringExpression,
  valueExpression,
} from '../../../../lib/charts/template/expression';

const name = stringExpression('.Values.name');

test('what is known is no expression', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(expressionIn(value)).toBeUndefined();
    }),
  );
});

test('a string that stands for a value alone is that expression', () => {
  expect(expressionIn(name)).toBe('.Values.name');
});

test('strings with text around, and several of them, are joined by printf', () => {
  expect(expressionIn(`100%-${name}`)).toBe('(printf "100%%-%s" .Values.name)');
  expect(expressionIn(`${name}:${stringExpression('.Values.tag')}`)).toBe('(printf "%s:%s" .Values.name .Values.tag)');
});

test('other types are objects that only the generator knows', () => {
  expect(expressionIn(valueExpression<number>('.Values.replicas'))).toBe('.Values.replicas');
});

test('a value that is partly known is an expression as a whole', () => {
  const value = { port: 80, on: true, items: ['a', name], none: null };

  expect(asExpression(value)).toBe('(dict "port" 80 "on" true "items" (list "a" .Values.name) "none" null)');
});

test('in a text, quoted strings that stand for values are replaced with their quotes, escapes undone', () => {
  const text = `image: "${name}"\nplain: "a \\" b"\nincluded: "${stringExpression('(include \\"x\\" .)')}"\n`;

  expect(replaceQuotedExpressions(text, (expression) => `<${expression}>`)).toBe(
    'image: <.Values.name>\nplain: "a \\" b"\nincluded: <(include "x" .)>\n',
  );
});
