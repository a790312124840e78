import { byKey, type ChartObject } from './objects';

/** What differs: `+key` and `-key` for whole objects, `key: path` for each field. */
export function changes(before: readonly ChartObject[], after: readonly ChartObject[]): string[] {
  const [left, right] = [byKey(before), byKey(after)];
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  return keys.flatMap((key) => {
    if (left[key] === undefined) return [`+${key}`];
    if (right[key] === undefined) return [`-${key}`];
    return fieldChanges(left[key], right[key]).map((path) => `${key}: ${path}`);
  });
}

function fieldChanges(before: unknown, after: unknown, path = ''): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isObject(before) || !isObject(after)) return [path];
  if (Array.isArray(before) && Array.isArray(after) && before.length !== after.length)
    return [itemChange(before, after, path)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => fieldChanges(before[name], after[name], path === '' ? name : `${path}.${name}`));
}

/** A list that grew or shrank: what came in or went out. */
function itemChange(before: readonly unknown[], after: readonly unknown[], path: string): string {
  const texts = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item));
  const came = texts(after).filter((item) => !texts(before).includes(item));
  const went = texts(before).filter((item) => !texts(after).includes(item));
  return `${path} ${[...came.map((item) => `+${item}`), ...went.map((item) => `-${item}`)].join(' ')}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
