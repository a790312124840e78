import { Construct } from 'constructs';
import { asExpression, expressionIn, stringExpression, valueExpression } from './expression';

/* What depends on values. Each decides at once where the values are known, and leaves it to Helm where they are not. */

type TextMap = Readonly<Record<string, string>>;

const WHEN_KEY = '\u{E000}when';

/** A field or an item that is there only if the expression holds. */
interface ConditionalValue {
  readonly [WHEN_KEY]: string;
  readonly value: unknown;
}

/** `value` where `test` is neither false nor empty; else the field is left out. */
export function when<T>(test: unknown, value: T): T | undefined {
  const expression = expressionIn(test);
  if (expression === undefined) return isEmpty(test) ? undefined : value;
  return { [WHEN_KEY]: expression, value } as T;
}

/** The value, and no field at all where it is empty. */
export function unlessEmpty<T>(value: T): T | undefined {
  return when(value, value);
}

/** The condition of a value that `when` made; undefined of any other. */
export function conditionalValue(value: unknown): { readonly test: string; readonly value: unknown } | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, WHEN_KEY)) return undefined;
  const conditional = value as ConditionalValue;
  return { test: conditional[WHEN_KEY], value: conditional.value };
}

/** The items that are there. */
export function itemsOf<T>(...items: readonly (T | undefined)[]): T[] {
  return items.filter((item) => item !== undefined);
}

/** `chosen` where `test` is neither false nor empty, else `otherwise`. */
export function choose(test: unknown, chosen: string, otherwise: string): string {
  const expression = expressionIn(test);
  if (expression === undefined) return isEmpty(test) ? otherwise : chosen;
  const [left, right] = [asExpression(chosen), asExpression(otherwise)];
  // `default` reads better where it says the same.
  if (left === expression) return stringExpression(`(default ${right} ${left})`);
  return stringExpression(`(ternary ${left} ${right} (not (empty ${expression})))`);
}

/** Both maps; where both have a key, `first` wins. */
export function merged(first: TextMap, second: TextMap): TextMap {
  if (expressionIn(first) === undefined && expressionIn(second) === undefined) return { ...second, ...first };
  return valueExpression(`(merge (dict) ${asExpression(first)} ${asExpression(second)})`);
}

/** One list behind the other. */
export function concatenated<T>(first: readonly T[], second: readonly T[]): readonly T[] {
  const expression = expressionIn(second);
  if (expression === undefined) return [...first, ...second];
  return valueExpression(`(concat ${asExpression(first)} ${expression})`);
}

/** `a,b` of a list. */
export function joinedByComma(list: readonly string[]): string {
  const expression = expressionIn(list);
  return expression === undefined ? list.join(',') : stringExpression(`(join "," ${expression})`);
}

/** A scope for objects that are there only where `test` is neither false nor empty; undefined where they are not. */
export function conditionalScope(scope: Construct, id: string, test: unknown): Construct | undefined {
  const expression = expressionIn(test);
  if (expression !== undefined) return new ConditionalScope(scope, id, expression);
  return isEmpty(test) ? undefined : new Construct(scope, id);
}

/** The conditions under which a construct is there, outermost first. */
export function conditionsOf(construct: Construct): string[] {
  return construct.node.scopes.flatMap((scope) => (scope instanceof ConditionalScope ? [scope.test] : []));
}

class ConditionalScope extends Construct {
  constructor(
    scope: Construct,
    id: string,
    readonly test: string,
  ) {
    super(scope, id);
  }
}

/** As a Go template sees it. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return !value;
}
