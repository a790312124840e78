import { unlessEmpty, when } from '../../../../lib/charts/template/choice';
import { stringExpression, valueExpression } from '../../../../lib/charts/template/expression';
import { helmTemplate } from '../../../../lib/charts/template/helm-template';

const text = stringExpression('.Values.text');
const flag = valueExpression<boolean>('.Values.flag');
const template = (object: unknown, conditions: readonly string[] = []) => helmTemplate([{ conditions, object }]);

test('values of every type stand without quotes', () => {
  const object = { replicas: valueExpression<number>('.Values.replicas'), on: flag, name: text, image: `a/${text}` };

  expect(template(object)).toBe(`---
replicas: {{ toJson .Values.replicas }}
on: {{ toJson .Values.flag }}
name: {{ toJson .Values.text }}
image: {{ toJson (printf "a/%s" .Values.text) }}
`);
});

test('what is known is plain YAML', () => {
  expect(template({ a: [1, '1', true, null], b: { c: 'x: y' } })).toBe(`---
a:
  - 1
  - "1"
  - true
  - null
b:
  c: "x: y"
`);
});

test('fields and items that may be left out are in blocks', () => {
  const object = { spec: { selector: unlessEmpty(text), args: ['run', when(flag, '--fast'), 'end'] } };

  expect(template(object)).toBe(`---
spec:
  args:
    - run
    {{- if .Values.flag }}
    - --fast
    {{- end }}
    - end
  {{- if .Values.text }}
  selector: {{ toJson .Values.text }}
  {{- end }}
`);
});

test('an item that is a map begins with a field that is always there', () => {
  expect(template({ rules: [{ from: when(flag, ['a']), port: 1 }] })).toBe(`---
rules:
  - port: 1
    {{- if .Values.flag }}
    from:
      - a
    {{- end }}
`);
});

test('an item of which nothing is sure cannot be written', () => {
  expect(() => template({ rules: [{ from: when(flag, 'a') }] })).toThrow(
    'a list item needs a field that is always there',
  );
});

test('what Helm would take for an expression cannot be written', () => {
  expect(() => template({ a: '{{ .Values.a }}' })).toThrow('cannot have "{{"');
});

test('values inside a text of several lines keep its layout', () => {
  expect(template({ data: `a: "${text}"\nb: 1\n` })).toBe(`---
data: |
  a: {{ toJson .Values.text }}
  b: 1
`);
});

test('objects with the same conditions share their blocks', () => {
  const objects = [
    { conditions: [], object: { n: 1 } },
    { conditions: ['.Values.a'], object: { n: 2 } },
    { conditions: ['.Values.a', '.Values.b'], object: { n: 3 } },
    { conditions: ['.Values.b'], object: { n: 4 } },
  ];

  expect(helmTemplate(objects)).toBe(`---
n: 1
{{- if .Values.a }}
---
n: 2
{{- if .Values.b }}
---
n: 3
{{- end }}
{{- end }}
{{- if .Values.b }}
---
n: 4
{{- end }}
`);
});
