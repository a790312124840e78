import type { SchemaNode } from './schema-node';

/** What a value must be, in words: `an integer from 1 to 65535`. */
export function expectation(node: SchemaNode): string {
  if (node.expects !== undefined) return joined(node.expects, node.maxLength && `at most ${node.maxLength} characters`);
  if (node.enum !== undefined) return `one of ${node.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if (node.const !== undefined) return JSON.stringify(node.const);
  return joined(withArticle(node.type), limitsOf(node) || (node.format === 'int32' ? 'of 32 bits' : ''));
}

/** Bounds in words, empty when there are none: `from 1 to 65535`, `1 to 100 items`. */
export function limitsOf(node: SchemaNode): string {
  const { minimum, maximum } = node;
  if (minimum !== undefined && maximum !== undefined) return `from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `at least ${minimum}`;
  if (maximum !== undefined) return `at most ${maximum}`;
  if (node.type === 'array') return sizeOf(node.minItems, node.maxItems, 'items');
  return sizeOf(node.minLength, node.maxLength, 'characters');
}

function sizeOf(least: number | undefined, most: number | undefined, what: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most} ${what}`;
  if (most !== undefined) return `at most ${most} ${what}`;
  return least === undefined ? '' : `at least ${least} ${what}`;
}

function joined(first: string, second: string | 0 | undefined): string {
  return second === '' || second === undefined || second === 0 ? first : `${first}, ${second}`;
}

function withArticle(type: string | undefined): string {
  switch (type) {
    case 'array':
      return 'a list';
    case 'object':
      return 'an object';
    case 'integer':
      return 'an integer';
    case 'boolean':
      return 'true or false';
    case undefined:
      return 'a value';
    default:
      return `a ${type}`;
  }
}
