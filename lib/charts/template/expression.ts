/**
 * Values that are not known yet. A chart is written once, over values of their ordinary types; to become a Helm chart
 * it is given stand-ins instead: a string carries the template expression between two marks, so that strings can be
 * joined as usual, and anything else is a plain object with one reserved key. `helmTemplate` finds them again.
 */

const OPEN = '\u{E000}';
const CLOSE = '\u{E001}';
const MARKED = /\u{E000}([^\u{E001}]*)\u{E001}/gu;

/** Key of the object that stands for a value; what it holds is the template expression. */
const EXPRESSION_KEY = OPEN;

/** A string that Helm fills in. */
export function stringExpression(expression: string): string {
  return `${OPEN}${expression}${CLOSE}`;
}

/** A number, boolean, list or object that Helm fills in; the type is what the expression yields. */
export function valueExpression<T>(expression: string): T {
  return { [EXPRESSION_KEY]: expression } as T;
}

/** The expression that `value` stands for as a whole; undefined where it is known. */
export function expressionIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value.includes(OPEN) ? stringSource(value) : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, EXPRESSION_KEY)) return undefined;
  return (value as Record<string, string>)[EXPRESSION_KEY];
}

/** `value` as an expression, whatever of it is known. */
export function asExpression(value: unknown): string {
  const expression = expressionIn(value);
  if (expression !== undefined) return expression;
  if (Array.isArray(value)) return `(list ${value.map(asExpression).join(' ')})`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `(dict ${Object.entries(value)
    .flatMap((entry) => entry.map(asExpression))
    .join(' ')})`;
}

/** The text with each quoted string that is a stand-in given to `replace` as an expression, quotes and all. */
export function replaceQuotedExpressions(text: string, replace: (expression: string) => string): string {
  return text.replace(/"(?:[^"\\\n]|\\.)*"/g, (quoted) => {
    const expression = expressionIn(JSON.parse(quoted));
    return expression === undefined ? quoted : replace(expression);
  });
}

/** A single expression as it is; several, or one beside other text, by `printf`. */
function stringSource(text: string): string {
  const found = [...text.matchAll(MARKED)].map(([, expression = '']) => expression);
  const format = text.replaceAll('%', '%%').replace(MARKED, '%s');
  if (format === '%s' && found[0] !== undefined) return found[0];
  return `(printf ${[JSON.stringify(format), ...found].join(' ')})`;
}
