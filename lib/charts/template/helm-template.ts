import { stringify } from 'yaml';
import { conditionalValue } from './choice';
import { expressionIn, replaceQuotedExpressions } from './expression';

/** An object of a chart, and the conditions under which it is there, outermost first. */
export interface TemplateObject {
  readonly conditions: readonly string[];
  readonly object: unknown;
}

/** The objects as a file of a Helm chart: their YAML, with `{{ }}` in place of each value that is not known. */
export function helmTemplate(objects: readonly TemplateObject[]): string {
  return neighbours(objects)
    .map(([test, group]) => blockOf(test, group))
    .join('');
}

function blockOf(test: string | undefined, group: readonly TemplateObject[]): string {
  if (test === undefined) return group.map(({ object }) => `---\n${yamlWithExpressions(object)}`).join('');
  const inner = helmTemplate(group.map(({ conditions, object }) => ({ conditions: conditions.slice(1), object })));
  return `{{- if ${test} }}\n${inner}{{- end }}\n`;
}

/** Objects that follow each other and have the same outermost condition. */
function neighbours(objects: readonly TemplateObject[]): [string | undefined, TemplateObject[]][] {
  const groups: [string | undefined, TemplateObject[]][] = [];
  for (const object of objects) {
    const last = groups.at(-1);
    const [test] = object.conditions;
    if (last !== undefined && last[0] === test) last[1].push(object);
    else groups.push([test, [object]]);
  }
  return groups;
}

/** The YAML library lays everything out around short words, which then give way to template expressions. */
function yamlWithExpressions(object: unknown): string {
  const words = new Words();
  const yaml = stringify(wordsIn(object, words), { aliasDuplicateObjects: false, lineWidth: 0 });
  if (yaml.includes('{{')) throw new Error('text that is known cannot have "{{": Helm would take it for an expression');
  if (/^ *- when\d+when:/m.test(yaml)) throw new Error('a list item needs a field that is always there');
  return yaml
    .replace(/^( *)(?:- )?when(\d+)when(?:: null)?$/gm, (_, indent, index) => `${indent}{{- if ${words.at(index)} }}`)
    .replace(/^( *)(?:- )?end\d+end(?:: null)?$/gm, '$1{{- end }}')
    .replace(/value(\d+)value/g, (_, index) => `{{ toJson ${words.at(index)} }}`);
}

/** Numbers the expressions. */
class Words {
  private readonly expressions: string[] = [];

  next(expression: string): number {
    return this.expressions.push(expression) - 1;
  }

  at(index: string): string {
    return this.expressions[Number(index)] ?? '';
  }
}

function wordsIn(value: unknown, words: Words): unknown {
  if (typeof value === 'string' && value.includes('\n')) {
    return replaceQuotedExpressions(value, (expression) => `value${words.next(expression)}value`);
  }
  const expression = expressionIn(value);
  if (expression !== undefined) return `value${words.next(expression)}value`;
  if (Array.isArray(value)) return value.flatMap((item) => itemsIn(item, words));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  // A block cannot begin on the line of a list item's dash.
  const ordered = [...fields.filter(isSure), ...fields.filter((field) => !isSure(field))];
  return Object.fromEntries(ordered.flatMap(([key, field]) => fieldsIn(key, field, words)));
}

function isSure([, field]: readonly [string, unknown]): boolean {
  return conditionalValue(field) === undefined;
}

function itemsIn(item: unknown, words: Words): unknown[] {
  const conditional = conditionalValue(item);
  if (conditional === undefined) return [wordsIn(item, words)];
  const number = words.next(conditional.test);
  return [`when${number}when`, wordsIn(conditional.value, words), `end${number}end`];
}

function fieldsIn(key: string, field: unknown, words: Words): [string, unknown][] {
  const conditional = conditionalValue(field);
  if (conditional === undefined) return [[key, wordsIn(field, words)]];
  const number = words.next(conditional.test);
  return [
    [`when${number}when`, null],
    [key, wordsIn(conditional.value, words)],
    [`end${number}end`, null],
  ];
}
